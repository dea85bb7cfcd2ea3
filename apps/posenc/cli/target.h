// SPDX-License-Identifier: Apache-2.0
// Where the numbers of a verb go, as they are made: a file or standard output, as .npy, as .safetensors, or bare.
#pragma once

#include <posenc/io/safetensors.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/terminal/progress.h"

namespace posenc::tool {

/// raw: the elements alone, little-endian and row-major; their shape is told on standard error.
enum class TensorFormat : std::uint8_t { npy = 1, safetensors, raw };

/// By the end of the name; a device or a pipe of another name takes .npy. Refuses another name, as that of `option`.
TensorFormat tensor_format(std::string_view operation, std::string_view option, const std::string& path);

/// The file of --out, or standard output, and what --format makes of it.
struct Out {
  std::string path;  ///< "-" is standard output
  TensorFormat format;
  io::WriteOptions writing;

  bool standard_output() const { return path == standard_stream; }
  /// Whether it is a regular file or will be one, so that its header can be written last.
  bool regular() const;
  /// Whether sizes may be known at the end alone.
  bool open_ended() const { return format == TensorFormat::raw || regular(); }
  /// For notes: standard output has a name of its own.
  std::string title() const { return standard_output() ? "standard output" : path; }
};

/// --out and --format; nothing where the call has no --out. Refused: numbers that would go to a terminal, or among the
/// report of --json; a name that says another format than --format.
std::optional<Out> read_out(const Arguments& arguments, const io::WriteOptions& writing);
/// The same for a path that the call names otherwise, by `option` in errors.
Out out_at(const Arguments& arguments, std::string_view option, const std::string& path,
           const io::WriteOptions& writing);

inline constexpr Option out_option = {"--out", "X.npy|X.safetensors|-",
                                      "the file that the numbers go to; - is standard output, without it an excerpt"};
inline constexpr Option format_option = {"--format", "npy|safetensors|raw",
                                         "of --out, where its name does not say it; raw is the numbers alone"};

/// Whose line of progress a call that writes there draws: where standard output is a pipe, its reader's.
ProgressLine line_beside(const Out& out);

/// Whether the path is a regular file or will be one.
bool regular_target(const std::string& path);

/// The type in which elements of `type` stand in the file: .npy has no bf16, and takes f32 that holds the same values.
DType stored_type(TensorFormat format, DType type);

/// Refuses a type that the format lacks, by --dtype, and bytes that the free space of the file's folder does not hold.
void check_out(std::string_view operation, const Out& out, DType type, std::int64_t bytes);

/// What goes there. `others` are further tensors that .safetensors holds and the other formats do not, and so is what
/// is said about them.
struct Contents {
  io::TensorPlan first;
  std::vector<io::TensorPlan> others = {};
  io::Metadata about = {};
};

class TensorTarget {
 public:
  /// One size of the first shape may be io::unknown_size where the target is open-ended.
  TensorTarget(const Out& out, Contents contents);
  /// More elements, in row-major order without gaps, of the plan's type.
  void write(const ConstView& piece);
  /// The end but for the name, which commit() of output.h gives it.
  io::FileWriter& finish(std::span<const ConstView> others = {});

 private:
  DType type_;
  std::vector<float> wide_;  // a piece of bf16, for .npy
  std::optional<io::NpyStream> npy_;
  std::optional<io::SafetensorsStream> safetensors_;
  std::optional<io::FileWriter> raw_;
};

}  // namespace posenc::tool
