// SPDX-License-Identifier: Apache-2.0
// What an .npy file says about its elements, checked against the bytes that are there.
#pragma once

#include <algorithm>
#include <cstring>

#include <posenc/core.h>

namespace posenc::io {

/// One value of type T, its bytes in the machine's order or reversed.
template <class T>
T load(const std::byte* from, bool swapped) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (swapped) std::ranges::reverse(raw);
  return std::bit_cast<T>(raw);
}

/// Elements as they lie in a file: where, in which order of bytes and axes.
struct NpyElements {
  const std::byte* data;
  std::span<const std::int64_t> shape;
  std::array<std::int64_t, max_rank> strides;
  bool swapped;
};

/// An element type of a file, by NumPy's letter and digit, the type it is stored as here, and what stores all of them.
struct Kind {
  std::string_view code;
  std::int64_t bytes;
  DType dtype;
  void (*decode)(const NpyElements&, std::byte*);
};
/// The kind of that name, or the one that a type of ours is written as; null where there is none.
const Kind* find_kind(std::string_view code);
const Kind* find_kind(DType dtype);

/// How errors name the reading of a file.
inline constexpr std::string_view npy_reading = "read_npy";

struct NpyHeader {
  Kind kind;
  bool swapped;  // the file has the other byte order than this machine
  bool fortran_order;
  std::vector<std::int64_t> shape;
  std::size_t data;  // offset of the first element
};

/// Throws Error for whatever parse_npy refuses, but for the values of the elements.
NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view name);

/// The shape as a Python tuple.
std::string tuple_text(std::span<const std::int64_t> shape);

}  // namespace posenc::io
