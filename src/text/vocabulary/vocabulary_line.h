// SPDX-License-Identifier: Apache-2.0
// One line of a vocabulary file: a token to the byte, or with escapes.
#pragma once

#include <posenc/core.h>

namespace posenc::io {

/// What is wrong with a line, and where in it.
struct LineFault {
  std::string_view rule;
  std::string value;
  std::size_t offset;
};

/// How the lines of a file stand for tokens.
enum class Spelling : std::uint8_t { plain = 1, escaped };

/// The first line of a file whose other lines are escaped; no token.
inline constexpr std::string_view escapes_line = R"(# tokens with escapes: \n \t \r \\ \xNN)";

/// Appends the bytes that the line stands for to `token`, or returns what is wrong. `line` is valid UTF-8 and has no
/// newline in it.
std::optional<LineFault> parse_line(std::string_view line, Spelling spelling, std::string& token);

/// Whether a token cannot stand in a plain line, or not safely: it has controls, the C1 ones too, a line or paragraph
/// separator, or a byte order mark.
bool needs_escapes(std::string_view token);

/// Appends the escaped line for a token, without its end.
void append_line(std::string_view token, std::string& line);

}  // namespace posenc::io
