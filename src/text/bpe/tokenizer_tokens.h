// SPDX-License-Identifier: Apache-2.0
// Tokens, merges and added tokens of a tokenizer.json, by their ids.
#pragma once

#include "src/text/bpe/tokenizer_node.h"

namespace posenc::io {

/// Reads the lists of one document, which must outlive it.
class TokenizerTokens {
 public:
  /// Errors: an id that two tokens have.
  TokenizerTokens(const TokenizerDocument& document, const TokenizerSource& source);

  /// The id of a token as the file spells it.
  std::optional<std::int32_t> id(std::string_view token) const;
  /// Errors: flags that change what a token matches; what is no id or text; an id or text that the vocabulary gives to
  /// another.
  std::vector<Bpe::AddedToken> added(const TokenizerNode& list) const;
  /// The bytes of each token by its id; of what is not spelled in the characters of bytes, none. Errors: ids from 0 on
  /// with a gap that none of `added` fills.
  std::vector<std::string> bytes(const std::vector<Bpe::AddedToken>& added) const;
  /// Errors: a part that is no token.
  std::vector<Bpe::Merge> merges() const;

 private:
  Bpe::AddedToken read_added(const TokenizerNode& node) const;
  const std::pair<std::int32_t, std::int32_t>* by_id(std::int32_t id) const;

  const TokenizerDocument& document_;
  const TokenizerSource& source_;
  std::vector<std::pair<std::int32_t, std::int32_t>> ids_;  // and numbers of tokens, ascending
};

}  // namespace posenc::io
