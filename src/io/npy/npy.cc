// SPDX-License-Identifier: Apache-2.0
// .npy files in: a whole file, its header, its elements widened to the types of views.
#include <posenc/io/npy.h>

#include <algorithm>
#include <new>

#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/io/files/descriptor.h"
#include "src/io/files/element_bytes.h"
#include "src/io/files/room.h"
#include "src/io/npy/npy_header.h"

namespace posenc::io {
namespace {

/// Every element, widened from Raw to Stored, in row-major order.
template <class Raw, class Stored>
void decode(const NpyElements& source, std::byte* to) {
  const std::span strides(source.strides.data(), source.shape.size());
  for_each_row(source.shape, strides, [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i, to += sizeof(Stored)) {
      const std::byte* from = source.data + (first + i * stride) * static_cast<std::int64_t>(sizeof(Raw));
      const auto value = static_cast<Stored>(load<Raw>(from, source.swapped));
      std::memcpy(to, &value, sizeof(Stored));
    }
  });
}

NpyElements elements_of(std::span<const std::byte> bytes, const NpyHeader& header) {
  return {bytes.data() + header.data, header.shape, npy_strides(header), header.swapped};
}

template <class Raw, class Stored>
constexpr Kind kind(std::string_view code, DType dtype) {
  return {code, sizeof(Raw), dtype, decode<Raw, Stored>};
}
constexpr Kind kinds[] = {
    kind<std::uint16_t, std::uint16_t>("f2", DType::f16), kind<std::uint32_t, std::uint32_t>("f4", DType::f32),
    kind<std::uint64_t, std::uint64_t>("f8", DType::f64), kind<std::int8_t, std::int32_t>("i1", DType::i32),
    kind<std::int16_t, std::int32_t>("i2", DType::i32),   kind<std::int32_t, std::int32_t>("i4", DType::i32),
    kind<std::int64_t, std::int64_t>("i8", DType::i64),   kind<std::uint8_t, std::int32_t>("u1", DType::i32),
    kind<std::uint16_t, std::int32_t>("u2", DType::i32),  kind<std::uint32_t, std::int64_t>("u4", DType::i64),
    kind<std::uint64_t, std::int64_t>("u8", DType::i64),
};

/// The first element, in row-major order, that int64 cannot hold.
void check_unsigned(const NpyHeader& header, const NpyElements& source, std::string_view name) {
  if (header.kind.code != "u8") return;
  const std::span strides(source.strides.data(), source.shape.size());
  for_each_row(source.shape, strides, [&](std::int64_t first, std::int64_t stride, std::int64_t count) {
    for (std::int64_t at = first; count > 0; at += stride, --count) {
      const auto value = load<std::uint64_t>(source.data + at * 8, source.swapped);
      if (value > largest_int64) refuse_unsigned(header, at, value, name);
    }
  });
}

}  // namespace

const Kind* find_kind(std::string_view code) {
  const auto* found = std::ranges::find(kinds, code, &Kind::code);
  return found == std::end(kinds) ? nullptr : found;
}

const Kind* find_kind(DType dtype) {
  const auto stored = [&](const Kind& kind) {
    return kind.dtype == dtype && kind.bytes == static_cast<std::int64_t>(size_of(dtype));
  };
  const auto* found = std::ranges::find_if(kinds, stored);
  return found == std::end(kinds) ? nullptr : found;
}

bool has_same_elements(const NpyHeader& header) {
  return !header.swapped && header.kind.code != "u8" &&
         static_cast<std::size_t>(header.kind.bytes) == size_of(header.kind.dtype);
}

bool stands_as_it_will(const NpyHeader& header) { return has_same_elements(header) && !header.fortran_order; }

std::array<std::int64_t, max_rank> npy_strides(const NpyHeader& header) {
  std::array<std::int64_t, max_rank> strides = {};
  std::uint64_t stride = 1;  // wraps only where some size is 0 and no element is read
  for (std::size_t i = 0; i < header.shape.size(); ++i) {
    const std::size_t axis = header.fortran_order ? i : header.shape.size() - 1 - i;
    strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(header.shape[axis]);
  }
  return strides;
}

void refuse_unsigned(const NpyHeader& header, std::int64_t at, std::uint64_t value, std::string_view name) {
  std::vector<std::int64_t> index(header.shape.size());
  std::int64_t rest = at;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t axis = header.fortran_order ? i : index.size() - 1 - i;
    index[axis] = rest % header.shape[axis];
    rest /= header.shape[axis];
  }
  throw Error({std::string(npy_reading), "an unsigned number must be below 2^63",
               std::to_string(value) + " at offset " + std::to_string(static_cast<std::int64_t>(header.data) + at * 8) +
                   " of " + quote(name, Keep::tail),
               std::move(index)});
}

ConstView Array::view() const {
  return detail::row_major<const void*>(static_cast<const void*>(data.data()), dtype, shape);
}

Array parse_npy(std::span<const std::byte> bytes, std::string_view name) {
  const NpyHeader header = read_npy_header(bytes, name);
  const NpyElements source = elements_of(bytes, header);
  check_unsigned(header, source, name);
  Array array = {header.kind.dtype, header.shape, {}};
  const std::int64_t count = array.view().count();
  const std::size_t size = static_cast<std::size_t>(count) * size_of(array.dtype);
  try {
    take_room(array.data, size);
  } catch (const std::bad_alloc&) {
    throw Error(
        {std::string(npy_reading), "the array must fit in memory", std::to_string(size) + " bytes", {}, Cause::system});
  }
  header.kind.decode(source, array.data.data());
  return array;
}

std::optional<Problem> check_npy(std::span<const std::byte> bytes, std::string_view name) {
  return problem_of([&] {
    const NpyHeader header = read_npy_header(bytes, name);
    check_unsigned(header, elements_of(bytes, header), name);
  });
}

Array read_npy(const std::string& path, std::uint64_t limit, const Watch& watch) {
  const Descriptor file = open_regular(npy_reading, path);
  const FileState before = state_of(file.get(), npy_reading, path);
  const auto size = static_cast<std::uint64_t>(before.size);
  if (size > limit) {
    refuse_path(npy_reading, "must hold at most " + std::to_string(limit) + " bytes", path,
                " with " + std::to_string(size));
  }
  const auto read = [&](std::uint64_t from, std::uint64_t count, const Watch& watched) {
    std::vector<std::byte> bytes;
    try {
      take_room(bytes, count);
    } catch (const std::bad_alloc&) {
      fail_with(npy_reading, "the file must fit in memory", path, ENOMEM);
    }
    const bool whole = read_at(file.get(), from, bytes, npy_reading, path, watched);
    if (!whole || state_of(file.get(), npy_reading, path) != before) {
      refuse_path(npy_reading, "must not change while it is read", path, " which changed");
    }
    return bytes;
  };
  const NpyHeader header = read_npy_header(read(0, std::min<std::uint64_t>(size, npy_start), {}), size, path);
  if (!stands_as_it_will(header)) return parse_npy(read(0, size, watch), path);
  return {header.kind.dtype, header.shape, read(header.data, size - header.data, watch)};
}

}  // namespace posenc::io
