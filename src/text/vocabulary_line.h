// SPDX-License-Identifier: Apache-2.0
// One line of a vocabulary file: a token, with escapes.
#pragma once

#include <posenc/core.h>

namespace posenc::io {

/// What is wrong with a line, and where in it.
struct LineFault {
  std::string_view rule;
  std::string value;
  std::size_t offset;
};

/// Appends the bytes that the line stands for to `token`, or returns what is wrong. `line` is valid UTF-8 and has no
/// newline in it.
std::optional<LineFault> parse_line(std::string_view line, std::string& token);

/// Appends the line for a token, without its end.
void append_line(std::string_view token, std::string& line);

}  // namespace posenc::io
