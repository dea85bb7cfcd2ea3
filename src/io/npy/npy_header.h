// SPDX-License-Identifier: Apache-2.0
// What an .npy file says about its elements, checked against the bytes that are there.
#pragma once

#include <algorithm>
#include <cstring>

#include <posenc/io/npy.h>

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
/// The same of a file of `size` bytes, of which `start` has the first: npy_start of them, or all.
NpyHeader read_npy_header(std::span<const std::byte> start, std::uint64_t size, std::string_view name);
inline constexpr std::size_t npy_start = 12 + npy_header_limit;

/// Whether that Error is about the type of the elements alone: of text, objects, records, complex numbers.
bool is_of_another_type(const Problem& problem);

/// The type as numpy.dtype.str says it: <f4, |i1.
std::string npy_type(const NpyHeader& header);

/// Whether the elements of the file are those of the array, each bit by bit; and all of them in one order too.
bool has_same_elements(const NpyHeader& header);
bool stands_as_it_will(const NpyHeader& header);
/// Elements from one to the next along each axis, as they lie in the file.
std::array<std::int64_t, max_rank> npy_strides(const NpyHeader& header);

inline constexpr std::uint64_t largest_int64 = ~std::uint64_t{0} >> 1;
/// Throws that element `at` of the file, in its order, is beyond int64.
[[noreturn]] void refuse_unsigned(const NpyHeader& header, std::int64_t at, std::uint64_t value, std::string_view name);

/// The shape as a Python tuple.
std::string tuple_text(std::span<const std::int64_t> shape);

}  // namespace posenc::io
