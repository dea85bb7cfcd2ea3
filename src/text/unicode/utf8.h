// SPDX-License-Identifier: Apache-2.0
// UTF-8: where a text breaks its rules, and its scalar values one by one.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::io {

/// The first ill-formed sequence of a text: the offset of its first byte, and the rule that it breaks.
struct Utf8Fault {
  std::size_t offset;
  std::string_view rule;
};

/// Nothing when `text` is valid UTF-8 (Unicode 15.0, table 3-7): shortest forms, no surrogates, at most U+10FFFF.
[[nodiscard]] std::optional<Utf8Fault> find_utf8_fault(std::string_view text);

/// \xC0 for a byte.
std::string byte_escape(char byte);

/// The fault as a problem: the rule, the byte as "byte \xC0", its offset as the index.
[[nodiscard]] std::optional<Problem> check_utf8(std::string_view operation, std::string_view text);

/// The size of `text` without a sequence at its end that has fewer bytes than its first byte asks for.
std::size_t complete_size(std::string_view text);

/// All of a text, or the complete characters of one that goes on. Errors: those are no valid UTF-8.
std::string_view require_utf8(std::string_view operation, std::string_view text, Rest rest);

/// Whether a scalar of a valid text begins with this byte, which goes on with none.
inline bool begins_scalar(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) != 0x80; }

/// Most bytes of a scalar.
inline constexpr std::size_t longest_scalar = 4;

struct Scalar {
  char32_t value;
  std::size_t size;  ///< bytes it takes
};

/// The scalar value that starts at `at` < text.size(). In a text that is not valid it may be any value, within bounds.
Scalar scalar_at(std::string_view text, std::size_t at);

}  // namespace posenc::io
