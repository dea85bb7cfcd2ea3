// SPDX-License-Identifier: Apache-2.0
// SHA-256 as text, by OpenSSL.
#pragma once

#include <openssl/sha.h>

#include <array>
#include <string>
#include <string_view>

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

}  // namespace posenc::test
