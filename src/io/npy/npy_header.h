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

/// An element type of a file, by NumPy's letter and digit, and the type it is stored as here.
struct Kind {
  std::string_view code;
  std::int64_t bytes;
  DType dtype;
};

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
