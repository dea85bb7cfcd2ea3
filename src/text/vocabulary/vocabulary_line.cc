// SPDX-License-Identifier: Apache-2.0
// The escapes of a vocabulary file: \n \t \r \\ \xNN.
#include "src/text/vocabulary/vocabulary_line.h"

#include "src/base/quote.h"
#include "src/text/unicode/utf8.h"

namespace posenc::io {
namespace {

constexpr std::pair<char, char> letters[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'\\', '\\'}};

bool is_control(char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }

int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

// Appends what the escape at the beginning of `rest` stands for; returns its size, 0 when it is none.
std::size_t append_escape(std::string_view rest, std::string& token) {
  for (const auto& [letter, byte] : letters) {
    if (rest.size() < 2 || rest[1] != letter) continue;
    token += byte;
    return 2;
  }
  if (rest.size() < 4 || rest[1] != 'x' || hex_value(rest[2]) < 0 || hex_value(rest[3]) < 0) return 0;
  token += static_cast<char>(16 * hex_value(rest[2]) + hex_value(rest[3]));
  return 4;
}

// Controls, the C1 ones too, line and paragraph separator, byte order mark.
bool needs_escape(char32_t scalar) {
  return scalar < 0x20 || (scalar >= 0x7F && scalar < 0xA0) || scalar == 0x2028 || scalar == 0x2029 || scalar == 0xFEFF;
}

void append_escaped(std::string_view character, std::string& line) {
  for (const auto& [letter, byte] : letters) {
    if (character[0] != byte) continue;
    line += {'\\', letter};
    return;
  }
  for (const char byte : character) line += byte_escape(byte);
}

}  // namespace

bool needs_escapes(std::string_view token) {
  while (!token.empty()) {
    const Scalar scalar = scalar_at(token, 0);
    if (needs_escape(scalar.value)) return true;
    token.remove_prefix(scalar.size);
  }
  return false;
}

std::optional<LineFault> parse_line(std::string_view line, Spelling spelling, std::string& token) {
  const std::size_t start = token.size();
  bool has_bytes = false;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '\\' && spelling == Spelling::escaped) {
      const std::size_t size = append_escape(line.substr(at), token);
      if (size == 0) {
        return LineFault{"a backslash must begin \\n, \\t, \\r, \\\\ or \\xNN", quote(line.substr(at, 4)), at};
      }
      has_bytes = has_bytes || size == 4;
      at += size;
      continue;
    }
    if (line[at] == '\r') return LineFault{"lines must end in LF, or all in CRLF", "a carriage return alone", at};
    if (is_control(line[at])) {
      return LineFault{"a control character must be escaped, below the line that says so",
                       "byte " + byte_escape(line[at]), at};
    }
    token += line[at++];
  }
  const std::string_view bytes = std::string_view(token).substr(start);
  const std::optional<Utf8Fault> fault = has_bytes ? find_utf8_fault(bytes) : std::nullopt;
  if (fault) return LineFault{fault->rule, "byte " + byte_escape(bytes[fault->offset]) + " by an escape", 0};
  return std::nullopt;
}

void append_line(std::string_view token, std::string& line) {
  while (!token.empty()) {
    const Scalar scalar = scalar_at(token, 0);
    const std::string_view character = token.substr(0, scalar.size);
    if (needs_escape(scalar.value) || scalar.value == '\\') {
      append_escaped(character, line);
    } else {
      line += character;
    }
    token.remove_prefix(scalar.size);
  }
}

}  // namespace posenc::io
