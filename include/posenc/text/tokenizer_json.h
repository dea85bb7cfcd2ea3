// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE from the tokenizer.json of the Hugging Face `tokenizers` package. Part of posenc::io.
#pragma once

#include <posenc/text/bpe.h>

namespace posenc::io {

/// Limits of a tokenizer.json: bytes of the file, tokens and merges, depth of nesting, bytes of one token.
inline constexpr std::uint64_t tokenizer_json_byte_limit = std::uint64_t{64} << 20;
inline constexpr std::size_t tokenizer_json_entry_limit = std::size_t{1} << 24;
inline constexpr std::size_t tokenizer_json_depth_limit = 64;
inline constexpr std::size_t tokenizer_json_token_limit = std::size_t{64} << 10;

/// What a file holds. Only `bpe` has a part in the ids; the others are there to be reported, empty for none.
struct TokenizerFile {
  Bpe bpe;
  std::string post_processor;  ///< its type: it would put tokens around the ids
  std::string decoder;         ///< its type
  std::string truncation;      ///< as JSON: the length of a text is the caller's to limit
  std::string padding;         ///< as JSON
};

/// The tokenizer in the bytes of a file; `name` stands for the file in messages.
///
/// Taken are: a BPE model with or without ignore_merges, unk_token and fuse_unk; no normalizer, or NFC; the
/// pre-tokenizer ByteLevel, or Split by a Pattern and then ByteLevel without its own pattern; added tokens, special or
/// not, normalized or not. Ids are those of the package, encoded without special tokens, with these exceptions: an
/// added token has the id that the file states, even where the package would take the next free one; a byte that is no
/// token is an error where the package leaves it out.
/// Errors: anything else, by its name and place; with the offset as the index what is no JSON. Further: the limits; a
/// key twice; ids of the vocabulary that are no integers, there twice, or have gaps that no added token fills; added
/// tokens that clash with another token; what Bpe::check says; bytes that begin like a file of another kind.
POSENC_EXPORT TokenizerFile parse_tokenizer_json(std::string_view bytes, std::string_view name = "tokenizer.json");
/// The problem that parse_tokenizer_json would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_tokenizer_json(std::string_view bytes,
                                                                        std::string_view name = "tokenizer.json");
/// read_file, then parse_tokenizer_json.
POSENC_EXPORT TokenizerFile read_tokenizer_json(const std::string& path);

}  // namespace posenc::io
