// SPDX-License-Identifier: Apache-2.0
// Byte-level byte-pair encoding: text to token ids and back, without loss. Part of posenc::io.
#pragma once

#include <posenc/core.h>

#include <unordered_map>

namespace posenc::io {

/// Whether more text comes behind the text of a call.
enum class Rest : std::uint8_t { follows = 1, none };

/// The size in bytes of the first piece of a text, by GPT-2's pattern; 0 for an empty text. `text` is valid UTF-8;
/// other bytes are safe, but where they are cut is not promised.
///
/// Pattern: the first that matches of 's 't 're 've 'm 'll 'd, " ?letters", " ?numbers", " ?others", white space not
/// followed by anything else, white space:
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// Letters are the general categories L*, numbers N*, by Unicode 15.0; white space is the property White_Space.
/// Pieces laid end to end are the text. Source: Radford et al. 2019, the released tokenizer. Thread safety: yes.
POSENC_EXPORT std::size_t gpt2_piece(std::string_view text);

/// Byte-level BPE as a value: tokens are byte strings, merges join two of them.
///
/// Encoding cuts a text into pieces by gpt2_piece and spells each piece in single bytes; then, while any two neighbours
/// are a merge, it joins the pair of lowest rank, the leftmost of equals. Joining takes O(n log n) for a piece of n
/// bytes. Every byte is a token, so any valid UTF-8 comes back from its ids, NUL included.
/// Thread safety: immutable; const use from many threads is safe.
class Bpe {
 public:
  /// The tokens `left` and `right` become the one token with their bytes in a row.
  struct Merge {
    std::int32_t left, right;
    friend bool operator==(const Merge&, const Merge&) = default;
  };

  /// `tokens`: the bytes of token id = index. `merges`: by rank = index. Errors (index = the token's id or the merge's
  /// rank): a token that is empty or there twice; a byte that is no token; a merge with an id outside the tokens, whose
  /// bytes in a row are no token, or that is there twice; more than 2^31 - 1 tokens or merges.
  Bpe(std::vector<std::string> tokens, std::vector<Merge> merges)
      : Bpe((require(check(tokens, merges)), Checked{}), std::move(tokens), std::move(merges)) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const std::vector<std::string>& tokens,
                                                                  const std::vector<Merge>& merges);

  /// The token ids of a text. Errors: invalid UTF-8, with the rule, the first byte of the ill-formed sequence, and its
  /// offset as the index.
  std::vector<std::int32_t> encode(std::string_view text) const {
    require(check_encode(text));
    return encode_checked(text);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_encode(std::string_view text) const;

  /// The bytes of the tokens in a row: the text again for ids from encode; for other ids it need not be valid UTF-8.
  /// Errors: an id outside [0, size), with its index.
  std::string decode(std::span<const std::int32_t> ids) const {
    require(check_decode(ids));
    return decode_checked(ids);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_decode(std::span<const std::int32_t> ids) const;

  /// For callers that have called the check.
  POSENC_EXPORT std::vector<std::int32_t> encode_checked(std::string_view text) const;
  POSENC_EXPORT std::string decode_checked(std::span<const std::int32_t> ids) const;

  /// The bytes of one token, valid as long as this value. Errors: an id outside [0, size).
  std::string_view token(std::int32_t id) const {
    require(check_token(id));
    return tokens_[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_token(std::int32_t id) const;

  /// The number of tokens.
  std::int32_t size() const { return static_cast<std::int32_t>(tokens_.size()); }
  /// The merges by rank.
  std::span<const Merge> merges() const { return merges_; }

 private:
  struct Checked {};
  struct Joined {
    std::int32_t rank, id;
  };
  struct Joiner;
  POSENC_EXPORT Bpe(Checked, std::vector<std::string>&& tokens, std::vector<Merge>&& merges);

  std::vector<std::string> tokens_;
  std::vector<Merge> merges_;
  std::array<std::int32_t, 256> byte_ids_;
  std::unordered_map<std::uint64_t, Joined> joined_;  // by left id << 32 | right id
};

}  // namespace posenc::io
