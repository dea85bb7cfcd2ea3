// SPDX-License-Identifier: Apache-2.0
// Added tokens found by narrowing down their sorted list, one byte of the text after another.
#include "src/text/bpe/added_tokens.h"

#include <algorithm>

namespace posenc::io {
namespace {

constexpr AddedMatch no_match = {0, 0, -1};

}  // namespace

AddedTokens::AddedTokens(std::vector<Bpe::AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::ranges::sort(tokens_, {}, &Bpe::AddedToken::text);
  for (const Bpe::AddedToken& token : tokens_) is_first_byte_[static_cast<std::uint8_t>(token.text.front())] = true;
}

// The longest token at `at`; without one, a match at `at` of size 0 and id -1 means that one may begin there.
AddedMatch AddedTokens::match_at(std::string_view text, std::size_t at, Rest rest) const {
  AddedMatch longest = no_match;
  auto first = tokens_.begin(), last = tokens_.end();
  for (std::size_t size = 0;; ++size) {  // [first, last) begin with the `size` bytes of the text from `at` on
    if (first != last && first->text.size() == size) {
      longest = {at, size, first->id};
      ++first;
    }
    if (first == last) return longest.size > 0 ? longest : AddedMatch{text.size(), 0, -1};
    if (at + size == text.size()) {
      if (rest == Rest::follows) return {at, 0, -1};
      return longest.size > 0 ? longest : AddedMatch{text.size(), 0, -1};
    }
    const auto next = [size](const Bpe::AddedToken& token) { return static_cast<std::uint8_t>(token.text[size]); };
    const auto same = std::ranges::equal_range(first, last, static_cast<std::uint8_t>(text[at + size]), {}, next);
    first = same.begin();
    last = same.end();
  }
}

AddedMatch AddedTokens::find(std::string_view text, Rest rest) const {
  for (std::size_t at = tokens_.empty() ? text.size() : 0; at < text.size(); ++at) {
    if (!is_first_byte_[static_cast<std::uint8_t>(text[at])]) continue;
    const AddedMatch match = match_at(text, at, rest);
    if (match.begin == at) return match;
  }
  return {text.size(), 0, -1};
}

}  // namespace posenc::io
