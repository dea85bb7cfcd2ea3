// SPDX-License-Identifier: Apache-2.0
// A file that the numbers of a verb go to, as they are made: .npy or .safetensors.
#pragma once

#include <posenc/safetensors.h>

namespace posenc::tool {

/// The formats by the end of the name; a device or a pipe of another name takes .npy.
enum class TensorFormat : std::uint8_t { npy = 1, safetensors };
/// Refuses another name.
TensorFormat tensor_format(std::string_view operation, const std::string& path);

/// Whether the path is a regular file or will be one, so that its header can be written last.
bool regular_target(const std::string& path);

/// The type in which elements of `type` stand in the file: .npy has no bf16, and takes f32 that holds the same values.
DType stored_type(TensorFormat format, DType type);

/// Refuses a type that the format of the path lacks; --dtype names it.
void check_type(std::string_view operation, const std::string& path, DType type);

class TensorTarget {
 public:
  /// One size of the shape may be io::unknown_size for a regular target. `others` are further tensors that .safetensors
  /// holds and .npy does not.
  TensorTarget(std::string_view operation, const std::string& path, io::TensorPlan plan,
               std::vector<io::TensorPlan> others = {}, const io::WriteOptions& options = {});
  /// More elements, in row-major order, of the plan's type.
  void write(const ConstView& piece);
  /// The end but for the name, which commit() of output.h gives it.
  io::FileWriter& finish(std::span<const ConstView> others = {});

 private:
  DType type_;
  std::vector<float> wide_;  // a piece of bf16, for .npy
  std::optional<io::NpyStream> npy_;
  std::optional<io::SafetensorsStream> safetensors_;
};

}  // namespace posenc::tool
