// SPDX-License-Identifier: Apache-2.0
// Byte-level byte-pair encoding: text to token ids and back, whole or piece by piece. Part of posenc::io.
#pragma once

#include <posenc/core.h>

#include <memory>

namespace posenc::io {

/// Whether more text comes behind the text of a call.
enum class Rest : std::uint8_t { follows = 1, none };

/// For `most`: all ids are asked for.
inline constexpr std::size_t no_limit = SIZE_MAX;

/// The tokens of a text that became the unknown token: how many, and the first of them with its place in the text.
struct Unknowns {
  std::int64_t count = 0;
  std::string first = {};
  std::int64_t offset = 0;            ///< of a character: where the run that NFC made it from begins
  std::int64_t line = 0, column = 0;  ///< of that offset, both from 1, the column in code points

  friend bool operator==(const Unknowns&, const Unknowns&) = default;
};

/// How a text is cut into pieces, which no merge crosses: at each place the first alternative that matches.
///
///   gpt2    's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
///   llama3  (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|
///           \s+(?!\S)|\s+
///   qwen    as llama3, with \p{N} for \p{N}{1,3}
///
/// \p{L} are the general categories L*, \p{N} those of N*, by Unicode 15.0; \s is the property White_Space; (?i:'s) is
/// also ' before U+017F. Pieces laid end to end are the text. Sources: the released tokenizers of GPT-2 (Radford et al.
/// 2019), Llama 3 and Qwen2 and 3.
enum class Pattern : std::uint8_t { gpt2 = 1, llama3, qwen };

constexpr std::string_view to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::gpt2: return "gpt2";
    case Pattern::llama3: return "llama3";
    case Pattern::qwen: return "qwen";
  }
  return "no pattern";
}

/// The size in bytes of the first piece of a text; 0 for an empty text. `text` is valid UTF-8; other bytes are safe,
/// but where they are cut is not promised. Thread safety: yes.
POSENC_EXPORT std::size_t piece_size(Pattern pattern, std::string_view text);
inline std::size_t gpt2_piece(std::string_view text) { return piece_size(Pattern::gpt2, text); }

/// Most bytes of a piece, and of a character with its marks under NFC. That is far more than a word of any language
/// has; to join a piece of that size takes some 24 MiB of memory and a tenth of a second.
inline constexpr std::size_t piece_limit = std::size_t{512} << 10;

/// Byte-level BPE as a value: tokens are byte strings, merges join two of them.
///
/// Encoding first finds the added tokens, the leftmost first, of those the longest. The text between them is normalized
/// and cut into pieces; each piece is spelled in single bytes; then, while any two neighbours are a merge, it joins the
/// pair of lowest rank, the leftmost of equals. Joining takes O(n log n) for a piece of n bytes.
/// Where every byte is a token and nothing is normalized, any valid UTF-8 comes back from its ids, NUL included.
/// Thread safety: immutable; copies share their tokens; const use from many threads is safe. A value that has been
/// moved from can only be assigned or destroyed.
class Bpe {
 public:
  /// The tokens `left` and `right` become the one token with their bytes in a row.
  struct Merge {
    std::int32_t left, right;
    friend bool operator==(const Merge&, const Merge&) = default;
  };

  /// What is done to the text between added tokens before it is cut. nfc: Normalization Form C, Unicode 15.0.
  enum class Normalization : std::uint8_t { none = 1, nfc };
  /// A piece that is a token as a whole: merged like any other, or taken as that token.
  enum class WholePieces : std::uint8_t { merged = 1, taken };
  /// A byte that is no token: an error, or the unknown token for each one, or for each run of them within a piece.
  enum class UnknownBytes : std::uint8_t { refused = 1, one_each, one_a_run };
  /// Where an added token is looked for: in the text, or, after those, in what normalization made of the rest.
  enum class Sought : std::uint8_t { in_text = 1, in_normal_text };

  /// A text that is one token wherever it stands. The id may be beyond the tokens, or that of one of them.
  struct AddedToken {
    std::int32_t id = -1;
    std::string text = {};
    Sought sought = {};
  };

  /// All that a Bpe is made of. What has no default must be stated.
  struct Parts {
    std::vector<std::string> tokens = {};  ///< the bytes of token id = index; empty: no text gives this id
    std::vector<Merge> merges = {};        ///< by rank = index
    Pattern pattern = {};
    Normalization normalization = {};
    WholePieces whole_pieces = {};
    UnknownBytes unknown_bytes = {};
    std::int32_t unknown_id = -1;  ///< unless refused, one of the tokens
    std::vector<AddedToken> added_tokens = {};
  };

  /// Errors (index = the id, the merge's rank, or which added token): a field that is not stated; a token that is there
  /// twice; a merge with an id outside the tokens, whose bytes in a row are no token, or that is there twice; an added
  /// token that is empty, no valid UTF-8, has a negative id, or has text or id of another; an unknown id that is no
  /// token; more than 2^31 - 2 tokens or merges.
  explicit Bpe(Parts parts) : Bpe((require(check(parts)), Checked{}), std::move(parts)) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Parts& parts);

  /// Pattern gpt2, nothing normalized or added, whole pieces merged. Errors: as above; also a token that is empty, and
  /// a byte that is no token.
  Bpe(std::vector<std::string> tokens, std::vector<Merge> merges)
      : Bpe{(require(check(tokens, merges)), Checked{}), plain(std::move(tokens), std::move(merges))} {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const std::vector<std::string>& tokens,
                                                                  const std::vector<Merge>& merges);

  /// The token ids of a text. Errors, with the offset of the byte at fault as the index: invalid UTF-8, with the rule
  /// and the first byte of the ill-formed sequence; a byte that is no token; a piece of more than piece_limit bytes,
  /// or, with NFC, a character and its marks.
  POSENC_EXPORT std::vector<std::int32_t> encode(std::string_view text) const;
  /// Takes as long as encode.
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_encode(std::string_view text) const;

  /// Appends the ids of a prefix of `text` and returns the prefix's size in bytes. Rest::none: the prefix is the whole
  /// text. Rest::follows: more text comes behind it, and the prefix ends where nothing that may come can change the ids
  /// before it; what is left over is given again, with more text behind it. So any cutting of a text gives the ids of
  /// the whole. Errors: as encode; then `ids` is as it was.
  std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const {
    Unknowns unknowns;
    return encode_prefix(text, rest, ids, unknowns, no_limit);
  }
  /// Adds the bytes, or runs of bytes, that become the unknown token among the first `most` ids to `unknowns`.
  POSENC_EXPORT std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                                          Unknowns& unknowns, std::size_t most) const;

  /// The bytes of the tokens in a row; they need not be valid UTF-8. Errors: an id outside [0, size), with its index.
  POSENC_EXPORT std::string decode(std::span<const std::int32_t> ids) const;
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_decode(std::span<const std::int32_t> ids) const;

  /// The bytes of one token; of an added token its text; nothing for an id between them that is no token.
  /// Errors: an id outside [0, size).
  POSENC_EXPORT std::string token(std::int32_t id) const;
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_token(std::int32_t id) const;

  /// One more than the greatest id.
  POSENC_EXPORT std::int32_t size() const;
  /// The id that stands for bytes that are no token; nothing where those are refused.
  POSENC_EXPORT std::optional<std::int32_t> unknown() const;
  /// The merges by rank.
  POSENC_EXPORT std::span<const Merge> merges() const;

 private:
  struct Checked {};
  struct Model;    // tokens, merges and what is found from them
  class Encoding;  // of one text
  POSENC_EXPORT Bpe(Checked, Parts&& parts);
  POSENC_EXPORT static Parts plain(std::vector<std::string>&& tokens, std::vector<Merge>&& merges);

  std::shared_ptr<const Model> model_;
};

}  // namespace posenc::io
