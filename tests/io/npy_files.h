// SPDX-License-Identifier: Apache-2.0
// Bytes of .npy files written down in tests, apart from the writer that they check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::io {

/// Little-endian digits of a number, as many as asked for.
inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFF);
  return out;
}

/// Magic, version, a length and what follows it.
inline std::string npy_with_length(int major, std::uint64_t length, std::string_view rest) {
  return "\x93NUMPY" + std::string{static_cast<char>(major), '\0'} + little_endian(length, major == 1 ? 2 : 4) +
         std::string(rest);
}

/// A file whose header is the dictionary and a newline.
inline std::string npy_file(std::string_view dictionary, std::string_view data, int major = 1) {
  return npy_with_length(major, dictionary.size() + 1, std::string(dictionary) + "\n" + std::string(data));
}

/// The dictionary with its values as they would be written in Python.
inline std::string npy_dictionary(std::string_view descr, std::string_view fortran_order, std::string_view shape) {
  return "{'descr': " + std::string(descr) + ", 'fortran_order': " + std::string(fortran_order) +
         ", 'shape': " + std::string(shape) + ", }";
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace posenc::io
