// SPDX-License-Identifier: Apache-2.0
// Foreign bytes made fit for a message: escaped, quoted and cut.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace posenc {

/// Bytes of the UTF-8 sequence that starts at text[at]; 0 when none does (RFC 3629: no overlong form, no surrogate,
/// nothing above U+10FFFF).
constexpr std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(at);
  if (lead < 0x80) return at < text.size() ? 1 : 0;
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;   // below: overlong
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;  // above: surrogate, or beyond U+10FFFF
  if (length == 0 || byte(at + 1) < low || byte(at + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// Where the first byte stands that begins no such sequence; npos where all of them do.
constexpr std::size_t find_not_utf8(std::string_view text) {
  std::size_t at = 0;
  while (const std::size_t length = utf8_length(text, at)) at += length;
  return at == text.size() ? text.npos : at;
}

/// A line separator, or a mark that turns the direction of the text that follows. The order of UTF-8 is Unicode's.
constexpr bool moves_text(std::string_view character) {
  const auto within = [&](std::string_view first, std::string_view last) {
    return first <= character && character <= last;
  };
  return character == "\u061C" || within("\u200E", "\u200F") || within("\u2028", "\u202E") ||
         within("\u2066", "\u2069");
}

/// Which end of a text that is too long for a message is kept.
enum class Keep { head, tail };

/// 'text' with bytes of controls, of what moves text, and of no UTF-8 as \xNN, at most `limit` bytes of it; "..."
/// stands for what is cut off.
inline std::string quote(std::string_view text, Keep keep = Keep::head, std::size_t limit = 64) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const bool cut = text.size() > limit;  // an escape is never shorter than what it stands for
  if (cut) text = keep == Keep::head ? text.substr(0, limit + 3) : text.substr(text.size() - limit);
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const auto lead = static_cast<unsigned char>(text[at]);
    const bool c1_control = length == 2 && lead == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
    if (length == 0 || lead < 0x20 || lead == 0x7F || c1_control || moves_text(text.substr(at, length))) {
      pieces.push_back({'\\', 'x', digits[lead >> 4], digits[lead & 15]});
      ++at;
    } else {
      pieces.emplace_back(text.substr(at, length));
      at += length;
    }
  }
  std::size_t first = 0, last = pieces.size(), size = 0;
  for (const std::string& piece : pieces) size += piece.size();
  while (size > limit) size -= pieces[keep == Keep::head ? --last : first++].size();
  std::string out = keep == Keep::tail && (cut || first > 0) ? "'..." : "'";
  for (std::size_t i = first; i < last; ++i) out += pieces[i];
  return out += keep == Keep::head && (cut || last < pieces.size()) ? "...'" : "'";
}

}  // namespace posenc
