// SPDX-License-Identifier: Apache-2.0
// Bytes of GGUF files written down in tests.
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "tests/io/npy_files.h"

namespace posenc::io {

/// A string: its length, then its bytes.
inline std::string gguf_string(std::string_view text) { return little_endian(text.size(), 8) + std::string(text); }

/// A key with a value whose bytes are given. Numbers of types: 0 u8, 1 i8, 2 u16, 3 i16, 4 u32, 5 i32, 6 f32, 7 bool,
/// 8 string, 9 array, 10 u64, 11 i64, 12 f64.
inline std::string gguf_key(std::string_view key, std::uint32_t type, std::string_view value) {
  return gguf_string(key) + little_endian(type, 4) + std::string(value);
}
inline std::string gguf_u16(std::string_view key, std::uint64_t value) {
  return gguf_key(key, 2, little_endian(value, 2));
}
inline std::string gguf_u32(std::string_view key, std::uint64_t value) {
  return gguf_key(key, 4, little_endian(value, 4));
}
inline std::string gguf_f32(std::string_view key, float value) {
  return gguf_key(key, 6, little_endian(std::bit_cast<std::uint32_t>(value), 4));
}
inline std::string gguf_text(std::string_view key, std::string_view value) {
  return gguf_key(key, 8, gguf_string(value));
}
inline std::string gguf_array(std::string_view key, std::uint32_t type, std::uint64_t count, std::string_view items) {
  return gguf_key(key, 9, little_endian(type, 4) + little_endian(count, 8) + std::string(items));
}

/// The description of a tensor, the fastest axis first.
inline std::string gguf_tensor(std::string_view name, const std::vector<std::uint64_t>& sizes, std::uint32_t type,
                               std::uint64_t offset) {
  std::string text = gguf_string(name) + little_endian(sizes.size(), 4);
  for (const std::uint64_t size : sizes) text += little_endian(size, 8);
  return text + little_endian(type, 4) + little_endian(offset, 8);
}

/// Magic, version and counts.
inline std::string gguf_start(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3) {
  return "GGUF" + little_endian(version, 4) + little_endian(tensors, 8) + little_endian(keys, 8);
}

/// Filled up with zeros.
inline std::string gguf_padded(std::string text, std::size_t alignment = 32) {
  text.resize((text.size() + alignment - 1) / alignment * alignment, '\0');
  return text;
}

/// A file of those keys and tensors, whose bytes are `data`.
inline std::string gguf_file(const std::vector<std::string>& keys, const std::vector<std::string>& tensors = {},
                             std::string_view data = "", std::size_t alignment = 32) {
  std::string text = gguf_start(tensors.size(), keys.size());
  for (const std::string& key : keys) text += key;
  for (const std::string& tensor : tensors) text += tensor;
  return gguf_padded(text, alignment) + std::string(data);
}

}  // namespace posenc::io
