// SPDX-License-Identifier: Apache-2.0
// .npy files out: a header as NumPy writes it, then the elements, at once or in a stream.
#include <posenc/io/npy.h>

#include <algorithm>

#include "src/base/quote.h"
#include "src/io/files/element_bytes.h"
#include "src/io/npy/npy_header.h"
#include "src/io/npy/stream_shape.h"

namespace posenc::io {
namespace {

constexpr std::string_view writing_npy = "write_npy";
constexpr std::size_t preamble = 10;  // magic, version and length, before the dictionary

std::optional<Problem> check_type(DType dtype) {
  if (find_kind(dtype) != nullptr) return std::nullopt;
  return Problem{std::string(writing_npy), "the type must be f16, f32, f64, i32 or i64 (.npy has no bfloat16)",
                 std::string(to_string(dtype))};
}

/// The header of a stream's largest shape, which has the room for any other.
std::string largest_header(DType dtype, std::span<const std::int64_t> shape) {
  require(check_plan(writing_npy, dtype, shape));
  return npy_header(dtype, with_size(shape, npy_dimension_limit));
}

}  // namespace

std::string npy_header(DType dtype, std::span<const std::int64_t> shape) {
  require(check_type(dtype));
  const bool sound =
      shape.size() <= max_rank && std::ranges::none_of(shape, [](std::int64_t size) { return size < 0; });
  if (!sound) {
    const std::string rule = "the shape must have at most " + std::to_string(max_rank) + " axes and no negative size";
    throw Error({std::string(writing_npy), rule, quote(tuple_text(shape))});
  }
  std::string header = "{'descr': '<" + std::string(find_kind(dtype)->code) +
                       "', 'fortran_order': False, 'shape': " + tuple_text(shape) + ", }";
  // NumPy leaves room for the first size to grow to 21 digits in place, and pads a full line by another one.
  constexpr std::size_t digits = 21, line = 64;
  if (!shape.empty()) header.append(digits - std::to_string(shape[0]).size(), ' ');
  header.append(line - (preamble + header.size() + 1) % line, ' ');
  header += '\n';
  const std::size_t length = header.size();  // below 2^16: eight sizes of 19 digits at most
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(length & 0xFF) + static_cast<char>(length >> 8) + header;
}

std::optional<Problem> check_npy_bytes(const ConstView& view) {
  if (auto problem = check_view(writing_npy, "view", view)) return problem;
  if (auto problem = check_type(view.dtype)) return problem;
  return check_plan(writing_npy, view.dtype, sizes(view));
}

std::vector<std::byte> npy_bytes(const ConstView& view) {
  require(check_npy_bytes(view));
  const std::string header = npy_header(view.dtype, sizes(view));
  const auto start = std::as_bytes(std::span(header));
  std::vector<std::byte> bytes(start.begin(), start.end());
  for_each_piece(view,
                 [&](std::span<const std::byte> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

void write_npy(const std::string& path, const ConstView& view, const WriteOptions& options) {
  require(check_npy_bytes(view));
  const std::string header = npy_header(view.dtype, sizes(view));
  FileWriter file(path, options);
  file.write(std::as_bytes(std::span(header)));
  for_each_piece(view, [&](std::span<const std::byte> piece) { file.write(piece); });
  file.commit();
}

NpyStream::NpyStream(std::string path, DType dtype, std::vector<std::int64_t> shape, const WriteOptions& options)
    : dtype_(dtype),
      shape_(std::move(shape)),
      header_(largest_header(dtype_, shape_)),
      file_(std::move(path), options) {
  require_patchable(writing_npy, file_, is_known(shape_));
  file_.write(std::as_bytes(std::span(header_)));
}

void NpyStream::write(const ConstView& piece) {
  require(check_piece(writing_npy, dtype_, shape_, elements_, piece));
  for_each_piece(piece, [&](std::span<const std::byte> bytes) { file_.write(bytes); });
  elements_ += piece.count();
}

void NpyStream::commit() { finish().commit(); }

FileWriter& NpyStream::finish() {
  std::string header = npy_header(dtype_, filled_shape(writing_npy, shape_, elements_));
  if (!is_known(shape_)) {
    header.insert(header.size() - 1, header_.size() - header.size(), ' ');
    header.replace(0, preamble, header_, 0, preamble);  // with the length
    file_.write_at(0, std::as_bytes(std::span(header)));
  }
  return file_;
}

}  // namespace posenc::io
