// SPDX-License-Identifier: Apache-2.0
// Added tokens in a text: the leftmost, of those the longest, and where a text that goes on leaves it open.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::io {

/// `id` stands at [begin, begin + size). Without a token, id -1 and size 0: none begins before `begin`, which is the
/// text's size, or, in a text that goes on, less, where one may begin.
struct AddedMatch {
  std::size_t begin, size;
  std::int32_t id;
};

/// Thread safety: const use is safe.
class AddedTokens {
 public:
  AddedTokens() = default;
  /// No text is empty, no two are alike.
  explicit AddedTokens(std::vector<Bpe::AddedToken> tokens);
  AddedMatch find(std::string_view text, Rest rest) const;

 private:
  AddedMatch match_at(std::string_view text, std::size_t at, Rest rest) const;

  std::vector<Bpe::AddedToken> tokens_;       // by their text
  std::array<bool, 256> is_first_byte_ = {};  // of one of them
};

}  // namespace posenc::io
