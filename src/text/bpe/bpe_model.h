// SPDX-License-Identifier: Apache-2.0
// What a Bpe holds: its parts, and the tables that encoding looks into.
#pragma once

#include <posenc/text/bpe.h>

#include "src/text/bpe/added_tokens.h"
#include "src/text/bpe/bpe_merges.h"
#include "src/text/vocabulary/token_table.h"

namespace posenc::io {

/// The ids of tokens by their bytes; tokens without bytes are left out.
class TokenIds {
 public:
  TokenIds() = default;
  explicit TokenIds(const std::vector<std::string>& tokens);
  /// The id of the first token with these bytes, or -1.
  std::int32_t find(std::string_view bytes) const;

 private:
  TokenTable table_;
  std::vector<std::int32_t> ids_;  // by number in the table
};

struct Bpe::Model {
  explicit Model(Parts&& all);

  Parts parts;
  std::vector<AddedToken> added_by_id;
  std::int32_t size;                       // one more than the greatest id
  std::array<std::int32_t, 256> byte_ids;  // -1: no token
  bool has_unknown_bytes;
  Joins joins;
  TokenIds whole;  // empty unless whole pieces are taken
  AddedTokens in_text, in_normal_text;
};

/// NFC of a whole text that is valid UTF-8.
std::string nfc(std::string_view text);

}  // namespace posenc::io
