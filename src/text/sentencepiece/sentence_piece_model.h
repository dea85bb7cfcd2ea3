// SPDX-License-Identifier: Apache-2.0
// What a SentencePiece model must keep so that its library, which trusts it, stays within bounds.
#pragma once

#include <posenc/core.h>

namespace posenc::io {

/// What is wrong with a model, and where in its bytes.
struct ModelFault {
  std::string rule;
  std::size_t offset;
};

/// The four bytes from `at` on, the lowest first.
inline std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;) number = (number << 8) | static_cast<std::uint8_t>(bytes[at + i]);
  return number;
}

/// Walks a sentencepiece.ModelProto (protocol buffers, wire format). Checked are the structure down to the fields that
/// the library computes with: pieces (1 to 7999 bytes of UTF-8 without NUL, finite scores, at most 64 that the user
/// has defined one the beginning of another) and the character maps of the normalizers (check_character_map).
std::optional<ModelFault> check_model(std::string_view bytes);

/// The model without its self test, which the library would report on standard error. `bytes` has passed check_model.
std::string without_self_test(std::string_view bytes);

/// A character map: 4 bytes with the size of a double array (little-endian), the array, strings with NUL behind each.
/// Every path from the array's root must stay within it, end, pass at most 32 values, and lead to strings of at most
/// 1024 bytes. Returns the rule that is broken, or nothing. Source: the layout of Darts-clone 0.32.
std::string_view check_character_map(std::string_view bytes);

}  // namespace posenc::io
