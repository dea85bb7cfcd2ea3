// SPDX-License-Identifier: Apache-2.0
// Takes bytes from the front of the embedded file; every length is checked before use.
#pragma once

#include <posenc/core.h>

namespace posenc::tool {

[[noreturn]] inline void refuse_default(std::string rule, std::string value, std::size_t offset) {
  throw Error({"read_default", std::move(rule), std::move(value), {static_cast<std::int64_t>(offset)}});
}

struct DefaultReader {
  std::string_view file;
  std::size_t at = 0;

  std::string_view take(std::size_t size) {
    const std::size_t left = file.size() - at;
    if (size > left) {
      refuse_default("the file must go on for " + std::to_string(size) + " bytes", std::to_string(left), at);
    }
    at += size;
    return file.substr(at - size, size);
  }
  std::vector<std::uint32_t> take_words(std::size_t count) {  // count < 2^32, so that the bytes fit in 64 bits
    const std::string_view bytes = take(std::size_t{4} * count);
    std::vector<std::uint32_t> words(count);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t byte = 4; byte-- > 0;) {
        words[i] = (words[i] << 8) | static_cast<std::uint8_t>(bytes[4 * i + byte]);
      }
    }
    return words;
  }
};

}  // namespace posenc::tool
