// SPDX-License-Identifier: Apache-2.0
// The rules of UTF-8, after Unicode 15.0, section 3.9, table 3-7.
#include "src/text/unicode/utf8.h"

#include <cstring>

namespace posenc::io {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// What a first byte asks for: how many bytes, and the range of the second one, which rules out overlong forms,
// surrogates and values that are too large. Size 0: no sequence starts so.
struct Lead {
  std::size_t size;
  std::uint8_t least_second, greatest_second;
};

Lead lead_of(std::uint8_t byte) {
  if (byte < 0x80) return {1, 0, 0};
  if (byte < 0xC2) return {0, 0, 0};
  if (byte < 0xE0) return {2, 0x80, 0xBF};
  if (byte == 0xE0) return {3, 0xA0, 0xBF};
  if (byte == 0xED) return {3, 0x80, 0x9F};
  if (byte < 0xF0) return {3, 0x80, 0xBF};
  if (byte == 0xF0) return {4, 0x90, 0xBF};
  if (byte < 0xF4) return {4, 0x80, 0xBF};
  if (byte == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

std::string_view rule_of_lead(std::uint8_t byte) {
  if (is_continuation(byte)) return "text must be valid UTF-8: a continuation byte follows a first byte";
  if (byte < 0xC2) return "text must be valid UTF-8: the shortest form only";
  return "text must be valid UTF-8: nothing above U+10FFFF";
}

std::string_view rule_of_second(std::uint8_t lead) {
  if (lead == 0xED) return "text must be valid UTF-8: no surrogates";
  if (lead == 0xF4) return "text must be valid UTF-8: nothing above U+10FFFF";
  return "text must be valid UTF-8: the shortest form only";
}

// The rule that the sequence at `at` breaks, or nothing and its size.
std::string_view broken_rule(std::string_view text, std::size_t at, std::size_t& size) {
  const std::uint8_t first = byte_at(text, at);
  const Lead lead = lead_of(first);
  if (lead.size == 0) return rule_of_lead(first);
  for (std::size_t i = 1; i < lead.size; ++i) {
    if (at + i == text.size()) return "text must be valid UTF-8: no sequence is cut short by the end of the text";
    const std::uint8_t byte = byte_at(text, at + i);
    if (!is_continuation(byte)) return "text must be valid UTF-8: continuation bytes complete a sequence";
    if (i == 1 && (byte < lead.least_second || byte > lead.greatest_second)) return rule_of_second(first);
  }
  size = lead.size;
  return {};
}

bool eight_ascii(std::string_view text, std::size_t at) {
  if (text.size() - at < 8) return false;
  std::uint64_t word;
  std::memcpy(&word, text.data() + at, 8);
  return (word & 0x8080808080808080u) == 0;
}

}  // namespace

std::optional<Utf8Fault> find_utf8_fault(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (eight_ascii(text, at)) {
      at += 8;
      continue;
    }
    std::size_t size = 0;
    const std::string_view rule = broken_rule(text, at, size);
    if (!rule.empty()) return Utf8Fault{at, rule};
    at += size;
  }
  return std::nullopt;
}

std::string byte_escape(char byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto value = static_cast<std::uint8_t>(byte);
  return {'\\', 'x', digits[value >> 4], digits[value & 15]};
}

std::optional<Problem> check_utf8(std::string_view operation, std::string_view text) {
  const std::optional<Utf8Fault> fault = find_utf8_fault(text);
  if (!fault) return std::nullopt;
  return Problem{std::string(operation),
                 std::string(fault->rule),
                 "byte " + byte_escape(text[fault->offset]),
                 {static_cast<std::int64_t>(fault->offset)}};
}

std::string_view require_utf8(std::string_view operation, std::string_view text, Rest rest) {
  if (rest == Rest::follows) text = text.substr(0, complete_size(text));
  require(check_utf8(operation, text));
  return text;
}

std::size_t complete_size(std::string_view text) {
  const std::size_t size = text.size();
  for (std::size_t tail = 1; tail <= 3 && tail <= size; ++tail) {
    const std::uint8_t byte = byte_at(text, size - tail);
    if (!is_continuation(byte)) return lead_of(byte).size > tail ? size - tail : size;
  }
  return size;
}

Scalar scalar_at(std::string_view text, std::size_t at) {
  const std::uint8_t first = byte_at(text, at);
  const std::size_t size = lead_of(first).size;
  if (size == 1) return {first, 1};
  if (size == 0 || size > text.size() - at) return {0xFFFD, 1};
  char32_t value = first & (0xFFu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) value = (value << 6) | (byte_at(text, at + i) & 0x3Fu);
  return {value, size};
}

}  // namespace posenc::io
