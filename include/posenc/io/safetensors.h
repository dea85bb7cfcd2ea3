// SPDX-License-Identifier: Apache-2.0
// Safetensors files: a hardened reader of single tensors, and atomic writers of whole files and of streams.
//
// A file is 8 bytes with the length of the header (little-endian), the header (JSON: names, types, shapes, offsets),
// and the elements of one tensor after another, row-major and little-endian. Thread safety: the functions are safe to
// call from any thread; const use of one Safetensors is safe; one SafetensorsStream belongs to one thread at a time.
#pragma once

#include <posenc/io/file.h>
#include <posenc/io/tensor_map.h>

#include <map>

namespace posenc::io {

/// Largest header, most tensors (and entries of the metadata), longest name that the reader takes; sizes and elements
/// are limited as in npy.h, axes by max_rank.
inline constexpr std::uint64_t safetensors_header_limit = std::uint64_t{1} << 24;
inline constexpr std::size_t safetensors_tensor_limit = 65536;
inline constexpr std::size_t safetensors_name_limit = 65536;

/// The free texts under "__metadata__".
using Metadata = std::map<std::string, std::string, std::less<>>;

// ---- in -----------------------------------------------------------------------------------------

/// One tensor as the header describes it.
struct StoredTensor {
  std::string name;
  std::string_view type;            // as the file says it: F32, BF16, F8_E4M3, ...
  DType dtype = {};                 // no type where posenc reads none such
  std::vector<std::int64_t> shape;  // [] is one element
  std::uint64_t begin = 0;          // first byte, and the one after the last, counted from the first tensor's first
  std::uint64_t end = 0;
};

/// What a file says it holds, every word of it checked.
struct SafetensorsHeader {
  std::vector<StoredTensor> tensors;  // in the order of their bytes
  Metadata metadata;
  std::uint64_t data = 0;  // offset in the file of the tensors' bytes
};

/// The header of the file in `bytes`; `name` stands for the file in messages.
///
/// Errors: a length beyond the file or the limit, a header that is not UTF-8 JSON of exactly the format's form, a key
/// that comes twice at any level, an unknown type or key, a product of sizes that overflows or differs from the bytes
/// that are stated, tensors that overlap or leave a hole, and bytes that belong to no tensor. Other formats are named
/// where their first bytes show them. Time and memory are bounded by the limits, whatever the bytes say.
/// Source: the format section of the README of huggingface/safetensors; types as in version 0.8.
POSENC_EXPORT SafetensorsHeader parse_safetensors(std::span<const std::byte> bytes,
                                                  std::string_view name = "safetensors");
/// The problem that parse_safetensors would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_safetensors(std::span<const std::byte> bytes,
                                                                     std::string_view name = "safetensors");

/// An open safetensors file. All of its header has been checked before there is an object; tensors are read when they
/// are asked for, by read(), and mapped by map() alone.
///
/// Errors: as read_file and parse_safetensors, and when the file has changed since it was opened.
class Safetensors {
 public:
  POSENC_EXPORT explicit Safetensors(std::string path);
  POSENC_EXPORT ~Safetensors();
  Safetensors(const Safetensors&) = delete;
  Safetensors& operator=(const Safetensors&) = delete;

  const SafetensorsHeader& header() const { return header_; }

  /// The tensor of that name. Errors: there is none; the message lists the nearest names.
  POSENC_EXPORT const StoredTensor& tensor(std::string_view name) const;
  /// All elements. F32, F16, BF16, F64, I32 and I64 are read, bit for bit; any other type is refused by its name.
  POSENC_EXPORT Array read(std::string_view name, const Watch& watch = {}) const;
  /// The same, where they stand in the file.
  POSENC_EXPORT TensorMap map(std::string_view name) const;
  /// Entries first, first + 1, ... along the first axis, as many as `out` has. `out` is row-major without gaps, has the
  /// type of the tensor, and its sizes after the first. Tables larger than memory are read so, block by block. When
  /// reading itself fails, what `out` holds is not defined.
  POSENC_EXPORT void read_rows(std::string_view name, std::int64_t first, View out) const;
  /// As many bytes as `out` has, from byte `offset` of the file on, as they stand there: the header, and tensors of any
  /// type, for copies. Errors: the file has no such bytes.
  POSENC_EXPORT void read_raw(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  const StoredTensor& readable(std::string_view name) const;
  void read_bytes(std::uint64_t offset, std::size_t element, std::span<std::byte> to, const Watch& watch) const;

  std::string path_;
  SafetensorsHeader header_;
  std::vector<std::size_t> by_name_;  // indices of header_.tensors, sorted by name
  FileState state_;                   // when it was opened
  int file_ = -1;
};

// ---- out ----------------------------------------------------------------------------------------

/// A tensor to write.
struct NamedView {
  std::string_view name;
  ConstView view;
};

/// The file that the safetensors package (0.8) writes for row-major copies of the views: by type (i64, f64, f32, i32,
/// bf16, f16), then by name, the header filled up with spaces to a multiple of 8. The package leaves the order of the
/// metadata open; here it is sorted.
/// Errors: names that are empty, "__metadata__", not UTF-8, too long or there twice; what the reader's limits refuse.
POSENC_EXPORT std::vector<std::byte> safetensors_bytes(std::span<const NamedView> tensors,
                                                       const Metadata& metadata = {});
/// The same file under that path, as FileWriter does: whole, or not at all.
POSENC_EXPORT void write_safetensors(const std::string& path, std::span<const NamedView> tensors,
                                     const Metadata& metadata = {}, const WriteOptions& options = {});
/// The problem that safetensors_bytes would throw, or nothing; also what write_safetensors asks before it touches a
/// file.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_safetensors_bytes(std::span<const NamedView> tensors,
                                                                           const Metadata& metadata = {});

/// What is known of a tensor before it is written; sizes may be unknown_size.
struct TensorPlan {
  std::string name;
  DType dtype = {};
  std::vector<std::int64_t> shape;
};

/// A safetensors file whose first tensor comes piece by piece; the others follow at the end, in the plan's order. The
/// first tensor's bytes begin at a multiple of 64, behind spaces. The others begin where the one before them ends: the
/// package's reader refuses a gap ("invalid offset"), so nothing can align them but the order of the plan.
///
/// One size of the first tensor and any sizes of the others may be unknown. Then the header gets the room that the
/// largest sizes need, filled up with spaces, and is written over at the end; the target must be a regular file. With
/// all sizes known the header has no more room than it needs, and any target will do.
class SafetensorsStream {
 public:
  POSENC_EXPORT SafetensorsStream(std::string path, std::vector<TensorPlan> plan, Metadata metadata = {},
                                  const WriteOptions& options = {});
  /// More elements of the first tensor, in row-major order, whatever the shape of the piece.
  POSENC_EXPORT void write(const ConstView& piece);
  /// The other tensors, and the end. Errors: the first tensor's elements do not fill its shape; a view of another type
  /// or shape than planned.
  POSENC_EXPORT void commit(std::span<const ConstView> others = {});
  /// The same but for the name, which FileWriter::commit_all gives it along with other files.
  POSENC_EXPORT FileWriter& finish(std::span<const ConstView> others = {});

 private:
  std::vector<TensorPlan> plan_;
  Metadata metadata_;
  std::string header_;         // with the largest sizes
  std::int64_t elements_ = 0;  // of the first tensor, so far
  FileWriter file_;
};

}  // namespace posenc::io
