// SPDX-License-Identifier: Apache-2.0
// SHA-256 as text, by OpenSSL.
#pragma once

#include <openssl/sha.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::test {

inline std::string sha256(std::string_view data) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest.data());
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// Of the ids as little-endian i32.
inline std::string sha256_of_ids(const std::vector<std::int32_t>& ids) {
  std::string bytes;
  for (const std::int32_t id : ids) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((id >> shift) & 0xFF);
  }
  return sha256(bytes);
}

}  // namespace posenc::test
