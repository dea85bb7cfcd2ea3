// SPDX-License-Identifier: Apache-2.0
// Foreign bytes made fit for the screen: UTF-8 by RFC 3629, byte by byte.
#include "apps/posenc/terminal/screen.h"

#include <fmt/format.h>

namespace posenc::tool {
namespace {

// Line separators, marks that turn the direction of the text that follows, and the byte order mark, which is not seen:
// the order of UTF-8 is that of Unicode.
bool moves_text(std::string_view character) {
  const auto within = [&](std::string_view first, std::string_view last) {
    return first <= character && character <= last;
  };
  return character == "\u061C" || within("\u200E", "\u200F") || within("\u2028", "\u202E") ||
         within("\u2066", "\u2069") || character == "\uFEFF";
}

// Bytes of the printable character that starts the text; 0 for a control character and for what is no UTF-8.
std::size_t printable_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  // Below: overlong, or the C1 controls. Above: surrogates, or beyond U+10FFFF.
  const unsigned low = lead == 0xE0 || lead == 0xC2 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (length == 0 || byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return moves_text(text.substr(0, length)) ? 0 : length;
}

// The first character as it is shown, taken off the text.
std::string first_piece(std::string_view& text) {
  const std::size_t length = printable_length(text);
  std::string piece =
      length > 0 ? std::string(text.substr(0, length)) : fmt::format("\\x{:02X}", static_cast<unsigned char>(text[0]));
  text.remove_prefix(length > 0 ? length : 1);
  return piece;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string line;
  while (!text.empty()) line += first_piece(text);
  return line;
}

std::string quote(std::string_view text) {
  constexpr std::size_t limit = 64;
  std::string quoted = "'";
  while (!text.empty()) {
    const std::string piece = first_piece(text);
    if (quoted.size() - 1 + piece.size() > limit) return quoted + "...'";
    quoted += piece;
  }
  return quoted + "'";
}

std::string token_words(std::string_view token) { return fmt::format("'{}'", printable(token)); }

std::string token_label(std::string_view token) {
  std::string label;
  for (const char c : printable(token)) label += c == ' ' ? "\u2423" : std::string(1, c);
  return label;
}

}  // namespace posenc::tool
