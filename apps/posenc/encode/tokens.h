// SPDX-License-Identifier: Apache-2.0
// How text becomes ids: --tokens, --vocab and --save-vocab, or the vocabulary built in.
#pragma once

#include <posenc/io/npy.h>
#include <posenc/text/tokenizer.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/default/default.h"
#include "apps/posenc/encode/inputs.h"

namespace posenc::tool {

std::vector<std::string> token_choices(const Arguments& arguments);

inline constexpr Option tokens_option = {"--tokens", "KIND",
                                         "bpe (built in), bpe:tokenizer.json, chars, words, bytes, ids, "
                                         "sentencepiece:FILE",
                                         Takes::one, token_choices};
inline constexpr Option vocab_option = {"--vocab", "FILE", "for chars and words: one token a line"};
inline constexpr Option save_vocab_option = {"--save-vocab", "FILE", "for chars and words: built from the text"};
inline constexpr Option vocab_size_option = {"--vocab-size", "V", "for ids with --init: ids are 0 to V - 1"};

/// What the command line says about tokens.
struct TokensRequest {
  enum class Kind : std::uint8_t { built_in = 1, bpe, chars, words, bytes, ids, sentencepiece };
  std::string_view operation;  ///< the verb, as errors name it
  Kind kind = Kind::built_in;
  std::string file = {};  ///< of bpe and sentencepiece
  std::optional<std::string> vocab = {}, save_vocab = {};
  std::optional<std::int32_t> vocab_size = {};

  /// The word of --tokens.
  std::string_view word() const;
};
TokensRequest read_tokens_request(const Arguments& arguments);

/// A tokenizer, and what the built-in vocabulary has besides.
struct Tokens {
  std::optional<io::Tokenizer> tokenizer;  ///< ids without a size: none yet
  std::string source;                      ///< "built in", or the file
  std::vector<std::int32_t> original_ids;  ///< of the built-in vocabulary; else empty
  std::optional<io::Array> rows;           ///< the built-in ones, until read_weights takes them
  std::vector<std::string> notes = {};     ///< what a tokenizer.json says that does not matter for ids

  const io::Tokenizer& get() const { return *tokenizer; }
};

/// The built-in rows.
io::Array built_in_array(const Default& built);

/// Reads or builds the vocabulary. Building it reads every input, which --save-vocab writes only later.
Tokens make_tokens(const TokensRequest& request, std::span<const Input> inputs);

/// Of chars and words; null for the others.
const io::Vocabulary* vocabulary_of(const io::Tokenizer& tokenizer);

}  // namespace posenc::tool
