// SPDX-License-Identifier: Apache-2.0
// What the readers of JSON say alike: where a value stands, and what the parser found wrong.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace posenc::io {

/// One step of a JSON pointer (RFC 6901).
inline std::string pointer_step(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    if (c == '~') out += "~0";
    if (c == '/') out += "~1";
    if (c != '~' && c != '/') out += c;
  }
  return out;
}

/// The parser's own words between its position and its quote of the text, at most `limit` bytes of them.
inline std::string parser_words(std::string_view what, std::size_t limit = 120) {
  const std::size_t start = what.find(": ");
  if (start == what.npos) return "syntax error";
  const std::string_view rest = what.substr(start + 2);
  return std::string(rest.substr(0, std::min(rest.find("; last read"), limit)));
}

}  // namespace posenc::io
