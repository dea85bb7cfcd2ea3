// SPDX-License-Identifier: Apache-2.0
// The .npy format: the checks of its header, its elements in and out.
#include <posenc/npy.h>

#include <algorithm>
#include <limits>
#include <new>

#include <posenc/file.h>
#include "src/formats/npy_header.h"
#include "src/formats/quote.h"

namespace posenc::io {
namespace {

constexpr std::string_view reading = "read_npy";
constexpr std::string_view writing = "write_npy";
constexpr bool big_endian = std::endian::native == std::endian::big;

// ---- elements -----------------------------------------------------------------------------------

/// Calls row(first, stride, count) for every run along the last axis, in row-major order; `first` and `stride` in
/// elements. One call for rank 0, none when a size is 0.
template <class Row>
void for_each_row(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, Row row) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  if (shape.empty()) return row(0, 1, 1);
  const std::size_t last = shape.size() - 1;
  std::array<std::int64_t, max_rank> at = {};
  std::int64_t first = 0;
  for (;;) {
    row(first, strides[last], shape[last]);
    std::size_t axis = last;
    for (;;) {
      if (axis == 0) return;
      --axis;
      if (at[axis] + 1 < shape[axis]) break;
      first -= strides[axis] * at[axis];
      at[axis] = 0;
    }
    ++at[axis];
    first += strides[axis];
  }
}

/// Elements as they lie in a file: where, in which order of bytes and axes.
struct Source {
  const std::byte* data;
  std::span<const std::int64_t> shape;
  std::array<std::int64_t, max_rank> strides;
  bool swapped;
};

/// Every element, widened from Raw to Stored, in row-major order.
template <class Raw, class Stored>
void decode(const Source& source, std::byte* to) {
  const std::span strides(source.strides.data(), source.shape.size());
  for_each_row(source.shape, strides, [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i, to += sizeof(Stored)) {
      const std::byte* from = source.data + (first + i * stride) * static_cast<std::int64_t>(sizeof(Raw));
      const auto value = static_cast<Stored>(load<Raw>(from, source.swapped));
      std::memcpy(to, &value, sizeof(Stored));
    }
  });
}

Source source_of(std::span<const std::byte> bytes, const NpyHeader& header) {
  Source source = {bytes.data() + header.data, header.shape, {}, header.swapped};
  std::uint64_t stride = 1;  // wraps only where some size is 0 and no element is read
  for (std::size_t i = 0; i < source.shape.size(); ++i) {
    const std::size_t axis = header.fortran_order ? i : source.shape.size() - 1 - i;
    source.strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(source.shape[axis]);
  }
  return source;
}

struct Decoder {
  std::string_view code;
  void (*decode)(const Source&, std::byte*);
};

constexpr Decoder decoders[] = {
    {"f2", decode<std::uint16_t, std::uint16_t>}, {"f4", decode<std::uint32_t, std::uint32_t>},
    {"f8", decode<std::uint64_t, std::uint64_t>}, {"i1", decode<std::int8_t, std::int32_t>},
    {"i2", decode<std::int16_t, std::int32_t>},   {"i4", decode<std::int32_t, std::int32_t>},
    {"i8", decode<std::int64_t, std::int64_t>},   {"u1", decode<std::uint8_t, std::int32_t>},
    {"u2", decode<std::uint16_t, std::int32_t>},  {"u4", decode<std::uint32_t, std::int64_t>},
    {"u8", decode<std::uint64_t, std::int64_t>},
};

std::vector<std::int64_t> index_of(std::int64_t position, std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; position /= shape[axis]) index[axis] = position % shape[axis];
  return index;
}

/// The first element, in row-major order, that int64 cannot hold.
void check_unsigned(const NpyHeader& header, const Source& source, std::string_view name) {
  if (header.kind.code != "u8") return;
  std::int64_t position = 0;
  const std::span strides(source.strides.data(), source.shape.size());
  for_each_row(source.shape, strides, [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i, ++position) {
      const std::int64_t offset = (first + i * stride) * 8;
      const auto value = load<std::uint64_t>(source.data + offset, source.swapped);
      if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) continue;
      throw Error({std::string(reading), "an unsigned number must be below 2^63",
                   std::to_string(value) + " at offset " +
                       std::to_string(static_cast<std::int64_t>(header.data) + offset) + " of " +
                       quote(name, Keep::tail),
                   index_of(position, source.shape)});
    }
  });
}

// ---- out ----------------------------------------------------------------------------------------

std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return "<f2";
    case DType::f32: return "<f4";
    case DType::f64: return "<f8";
    case DType::i32: return "<i4";
    case DType::i64: return "<i8";
    case DType::bf16: break;
  }
  return "";
}

std::optional<Problem> check_type(DType dtype) {
  if (!descr_of(dtype).empty()) return std::nullopt;
  return Problem{std::string(writing), "the type must be f16, f32, f64, i32 or i64 (.npy has no bfloat16)",
                 std::string(to_string(dtype))};
}

/// Hands the elements, row-major and little-endian, to sink(bytes), in pieces.
template <class Sink>
void for_each_piece(const ConstView& view, Sink sink) {
  constexpr std::size_t piece_size = std::size_t{1} << 20;
  const auto element = static_cast<std::int64_t>(size_of(view.dtype));
  const auto rank = static_cast<std::size_t>(view.rank);
  const auto* data = static_cast<const std::byte*>(view.data);
  std::vector<std::byte> piece;
  piece.reserve(piece_size);
  const auto row = [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
    for (std::int64_t i = 0; i < count;) {
      const std::int64_t run =
          stride == 1 ? std::min(count - i, static_cast<std::int64_t>(piece_size - piece.size()) / element) : 1;
      const std::byte* from = data + (first + i * stride) * element;
      const std::size_t start = piece.size();
      piece.insert(piece.end(), from, from + run * element);
      if constexpr (big_endian) {
        for (auto at = piece.begin() + static_cast<std::ptrdiff_t>(start); at != piece.end(); at += element) {
          std::reverse(at, at + element);
        }
      }
      i += run;
      if (piece.size() == piece_size) {
        sink(std::span<const std::byte>(piece));
        piece.clear();
      }
    }
  };
  for_each_row(std::span(view.shape.data(), rank), std::span(view.strides.data(), rank), row);
  sink(std::span<const std::byte>(piece));
}

}  // namespace

ConstView Array::view() const {
  return detail::row_major<const void*>(static_cast<const void*>(data.data()), dtype, shape);
}

Array parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  const NpyHeader header = read_npy_header(bytes, name);
  const Source source = source_of(bytes, header);
  check_unsigned(header, source, name);
  Array array = {header.kind.dtype, header.shape, {}};
  const std::int64_t count = array.view().count();
  const std::size_t size = static_cast<std::size_t>(count) * size_of(array.dtype);
  try {
    array.data.resize(size);
  } catch (const std::bad_alloc&) {
    throw Error(
        {std::string(reading), "the array must fit in memory", std::to_string(size) + " bytes", {}, Cause::system});
  }
  std::ranges::find(decoders, header.kind.code, &Decoder::code)->decode(source, array.data.data());
  return array;
}

std::optional<Problem> check_npy(std::span<const std::byte> bytes, std::string_view name) {
  try {
    const NpyHeader header = read_npy_header(bytes, name);
    check_unsigned(header, source_of(bytes, header), name);
    return std::nullopt;
  } catch (const Error& error) {
    return error.problem();
  }
}

Array read_npy(const std::string& path, std::uint64_t limit) {
  const std::string bytes = read_file(path, limit);
  return parse_npy(std::as_bytes(std::span(bytes)), path);
}

std::string npy_header(DType dtype, std::span<const std::int64_t> shape) {
  require(check_type(dtype));
  const bool sound =
      shape.size() <= max_rank && std::ranges::none_of(shape, [](std::int64_t size) { return size < 0; });
  if (!sound) {
    const std::string rule = "the shape must have at most " + std::to_string(max_rank) + " axes and no negative size";
    throw Error({std::string(writing), rule, quote(tuple_text(shape))});
  }
  std::string header =
      "{'descr': '" + std::string(descr_of(dtype)) + "', 'fortran_order': False, 'shape': " + tuple_text(shape) + ", }";
  // NumPy leaves room for the first size to grow to 21 digits in place, and pads a full line by another one.
  constexpr std::size_t digits = 21, line = 64, preamble = 10;
  if (!shape.empty()) header.append(digits - std::to_string(shape[0]).size(), ' ');
  header.append(line - (preamble + header.size() + 1) % line, ' ');
  header += '\n';
  const std::size_t length = header.size();  // below 2^16: eight sizes of 19 digits at most
  return std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(length & 0xFF) + static_cast<char>(length >> 8) + header;
}

std::optional<Problem> check_npy_bytes(const ConstView& view) {
  if (auto problem = check_view(writing, "view", view)) return problem;
  return check_type(view.dtype);
}

std::vector<std::byte> npy_bytes(const ConstView& view) {
  require(check_npy_bytes(view));
  const std::string header = npy_header(view.dtype, std::span(view.shape.data(), static_cast<std::size_t>(view.rank)));
  const auto start = std::as_bytes(std::span(header));
  std::vector<std::byte> bytes(start.begin(), start.end());
  for_each_piece(view,
                 [&](std::span<const std::byte> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

void write_npy(const std::string& path, const ConstView& view) {
  require(check_npy_bytes(view));
  const std::string header = npy_header(view.dtype, std::span(view.shape.data(), static_cast<std::size_t>(view.rank)));
  FileWriter file(path);
  file.write(std::as_bytes(std::span(header)));
  for_each_piece(view, [&](std::span<const std::byte> piece) { file.write(piece); });
  file.commit();
}

}  // namespace posenc::io
