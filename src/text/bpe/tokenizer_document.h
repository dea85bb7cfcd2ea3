// SPDX-License-Identifier: Apache-2.0
// A tokenizer.json as it stands: its large lists in compact form, the rest as a tree.
#pragma once

#include <posenc/text/tokenizer_json.h>

#include "src/base/json_tree.h"
#include "src/text/vocabulary/token_table.h"

namespace posenc::io {

struct TokenizerDocument {
  JsonTree tree;  // without /model/vocab when it is an object, and /model/merges when it is an array
  bool has_vocab = false, has_merges = false;
  TokenTable tokens;              // the keys of /model/vocab
  std::vector<std::int32_t> ids;  // of each
  StringList merges;              // left, right, left, right, ... of /model/merges, in either form
};

/// Where messages come from.
struct TokenizerSource {
  std::string_view bytes, name;
  [[noreturn]] void refuse(std::string rule, std::string value, std::vector<std::int64_t> index = {}) const;
};

/// Errors: no JSON, keys that are there twice, the limits; a vocabulary with other values than ids of 0 to
/// tokenizer_json_entry_limit - 1, merges that are no pairs.
TokenizerDocument read_tokenizer_document(const TokenizerSource& source);

}  // namespace posenc::io
