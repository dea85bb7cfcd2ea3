// SPDX-License-Identifier: Apache-2.0
// Text to token ids in one pass or piece by piece, with the same ids: bytes, characters, words, numbers, BPE and
// SentencePiece behind one type.
//
// Every tokenizer is a plain value with
//
//   std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const;
//   std::int32_t size() const;                    // ids are 0 to size - 1
//   std::string token(std::int32_t id) const;     // the token's bytes; it may be a part of a character
//
// Those that may meet what they do not know have encode_prefix(text, rest, ids, unknowns), which counts it, too, and
// unknown(), the id that stands for it; nothing where it is an error.
//
// encode_prefix appends the ids of a prefix of `text` and returns the prefix's size in bytes. Rest::none: the prefix is
// the whole text. Rest::follows: more text comes behind it, and the prefix ends where nothing that may come can change
// the ids before it; what is left over is given again, with more text behind it. So any cutting of a text gives the ids
// of the whole. A character cut short at the end of a text that goes on is left over.
// Errors: Error, and `ids` is as it was; the index is the offset in `text` of the byte at fault. Whether a text can be
// encoded is known once it has been, so encode_prefix has no check twin.
//
// Those that may meet what they do not know have encode_prefix(text, rest, ids, unknowns, most): it counts what becomes
// the unknown token among the first `most` ids of the call, and refuses nothing that would come behind them.
// Thread safety: tokenizers are immutable; const use from many threads is safe. A TokenReader belongs to one thread.
#pragma once

#include <posenc/text/bpe.h>
#include <posenc/text/vocabulary.h>

#include <functional>
#include <variant>

namespace posenc::io {

/// The values of the bytes, whatever they are; UTF-8 is not asked for.
class Bytes {
 public:
  POSENC_EXPORT std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const;
  std::int32_t size() const { return 256; }
  POSENC_EXPORT std::string token(std::int32_t id) const;
};

/// The code points of a text in Normalization Form C (Unicode 15.0, UAX #15), by a vocabulary. U+0000 is one of them.
/// More text changes what precedes only up to the last character that is certain to begin anew; that one and the
/// combining marks or Jamo behind it are left over.
/// Errors: invalid UTF-8; a character that the vocabulary lacks, when it has no <unk>; a character and its marks of
/// more than piece_limit bytes.
class Chars {
 public:
  /// Errors (index = the id): a token of more than one code point that is not of the form <name>.
  explicit Chars(Vocabulary vocabulary) : vocabulary_((require(check(vocabulary)), std::move(vocabulary))) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Vocabulary& vocabulary);

  std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const {
    Unknowns unknowns;
    return encode_prefix(text, rest, ids, unknowns, no_limit);
  }
  /// Adds what becomes <unk> among the first `most` ids to `unknowns`.
  POSENC_EXPORT std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                                          Unknowns& unknowns, std::size_t most) const;
  std::int32_t size() const { return vocabulary_.size(); }
  std::optional<std::int32_t> unknown() const { return vocabulary_.unknown(); }
  std::string token(std::int32_t id) const { return std::string(vocabulary_.token(id)); }
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

/// The maximal runs of characters between White_Space (Unicode 15.0), by a vocabulary. They are not normalized; a word
/// <pad>, <unk>, <bos> or <eos> in the text is the token of that name. A word at the end of a text that goes on is left
/// over. Errors: invalid UTF-8; a word that the vocabulary lacks, when it has no <unk>.
class Words {
 public:
  /// Errors (index = the id): a token with white space.
  explicit Words(Vocabulary vocabulary) : vocabulary_((require(check(vocabulary)), std::move(vocabulary))) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Vocabulary& vocabulary);

  std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const {
    Unknowns unknowns;
    return encode_prefix(text, rest, ids, unknowns, no_limit);
  }
  /// Adds what becomes <unk> among the first `most` ids to `unknowns`.
  POSENC_EXPORT std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                                          Unknowns& unknowns, std::size_t most) const;
  std::int32_t size() const { return vocabulary_.size(); }
  std::optional<std::int32_t> unknown() const { return vocabulary_.unknown(); }
  std::string token(std::int32_t id) const { return std::string(vocabulary_.token(id)); }
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

/// Ids as they stand in the text: decimal numbers of [0, size), without sign, point, exponent or leading zero,
/// separated by spaces, tabs and line ends (LF or CRLF), by one comma, or by both. The last number of a text that goes
/// on is left over. Errors: anything else; an id outside [0, size).
class Ids {
 public:
  /// Errors: size below 1.
  explicit Ids(std::int32_t size) : size_((require(check(size)), size)) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(std::int32_t size);

  POSENC_EXPORT std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const;
  std::int32_t size() const { return size_; }
  POSENC_EXPORT std::string token(std::int32_t id) const;

 private:
  std::int32_t size_;
};

/// A SentencePiece model, encoded by its library: the best segmentation, without begin and end tokens. Any later text
/// may change it, so a text that goes on is left over whole.
/// Errors: invalid UTF-8; a text of more than 2^31 - 1 bytes.
class SentencePiece {
 public:
  /// The model in the bytes of a file; `name` stands for the file in messages. Errors: no such model, or one that the
  /// library would trip over: fields that overrun the file, more than vocabulary_token_limit pieces, scores that are
  /// not finite, a character map that points outside itself.
  POSENC_EXPORT explicit SentencePiece(std::string_view model, std::string_view name = "model");
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(std::string_view model,
                                                                  std::string_view name = "model");
  /// read_file, then the above.
  POSENC_EXPORT static SentencePiece read(const std::string& path);

  std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const {
    Unknowns unknowns;
    return encode_prefix(text, rest, ids, unknowns, no_limit);
  }
  /// Adds what becomes the model's unknown piece among the first `most` ids to `unknowns`.
  POSENC_EXPORT std::size_t encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids,
                                          Unknowns& unknowns, std::size_t most) const;
  POSENC_EXPORT std::int32_t size() const;
  POSENC_EXPORT std::optional<std::int32_t> unknown() const;
  /// As the model spells it: U+2581 for a space.
  POSENC_EXPORT std::string token(std::int32_t id) const;
  /// The text that its library makes of the ids. Errors: an id outside [0, size), with its index.
  POSENC_EXPORT std::string decode(std::span<const std::int32_t> ids) const;

 private:
  struct Model;  // the library's
  std::shared_ptr<const Model> model_;
};

// ---- any of them ----------------------------------------------------------------------------------

using Tokenizer = std::variant<Bytes, Chars, Words, Ids, Bpe, SentencePiece>;

/// The word for it: bytes, chars, words, ids, bpe, sentencepiece.
POSENC_EXPORT std::string_view name(const Tokenizer& tokenizer);
/// The tokenizer's own functions. Unknowns are added to `unknowns` where it knows any.
POSENC_EXPORT std::size_t encode_prefix(const Tokenizer& tokenizer, std::string_view text, Rest rest,
                                        std::vector<std::int32_t>& ids, Unknowns& unknowns);
/// Appends the first `most` ids of a text, or as many as there are, and adds the unknown tokens among them. What stands
/// behind them is neither counted nor refused: where something cannot be encoded, the text up to it is enough if it has
/// `most` ids. Returns as encode_prefix does; the size of the text where `most` ids are found.
POSENC_EXPORT std::size_t encode_first(const Tokenizer& tokenizer, std::string_view text, Rest rest, std::size_t most,
                                       std::vector<std::int32_t>& ids, Unknowns& unknowns);
POSENC_EXPORT std::int32_t size(const Tokenizer& tokenizer);
POSENC_EXPORT std::string token(const Tokenizer& tokenizer, std::int32_t id);
/// The text that ids stand for: the tokens' bytes in a row, words and numbers with a space between them; what
/// SentencePiece::decode gives. It need not be valid UTF-8. Errors: an id outside [0, size), with its index.
POSENC_EXPORT std::string decode(const Tokenizer& tokenizer, std::span<const std::int32_t> ids);
/// The id that stands for what the tokenizer does not know; nothing where that is an error, or there is no such thing.
POSENC_EXPORT std::optional<std::int32_t> unknown(const Tokenizer& tokenizer);

// ---- sources --------------------------------------------------------------------------------------

/// Bytes from somewhere: puts at least one byte at the beginning of `to`, which is not empty, and returns how many it
/// put there; 0 at the end, and at every call after it. May throw.
using Source = std::function<std::size_t(std::span<char> to)>;

/// The bytes of a text.
POSENC_EXPORT Source text_source(std::string text);
/// What is left in an open descriptor (standard input, a pipe), by read(); interrupted calls are made again, and a
/// descriptor that does not block is waited for. It stays open. `name` stands for it in messages.
/// Errors: Error, with the system's words; Cause::input for a folder.
POSENC_EXPORT Source descriptor_source(int descriptor, std::string name);
/// The bytes of a regular file, never mapped. Errors: as read_file; at the end also a file that has changed meanwhile.
POSENC_EXPORT Source file_source(const std::string& path);

/// Largest piece of a text that a TokenReader keeps because a tokenizer leaves it over: the largest text for
/// SentencePiece, and the longest word for Words and Ids.
inline constexpr std::size_t carry_over_limit = std::size_t{16} << 20;

class TextFeed;  // the text that a source gives, piece by piece; private

/// Whether a source that begins like a file of another format is refused.
enum class Formats : std::uint8_t { text_only = 1, any };

/// How a source is read.
struct ReadOptions {
  Formats formats = Formats::text_only;  ///< `any` for a text that never was a file; Bytes takes every format
  std::size_t most = no_limit;           ///< ids that are asked for in all
};

/// The ids of a text that comes from a source, some at a time; the same ids for any source with the same bytes.
///
/// What stands behind the first `most` ids is cut off: unknown tokens in it are neither counted nor refused, and where
/// something in the text cannot be encoded, the text up to it is enough if it has `most` ids. How far the source has
/// been read does not matter.
/// Memory: 64 KiB of text, what the tokenizer leaves over, and four bytes for each id that the caller asks for at once.
/// Errors: those of the source and of the tokenizer, with the line, the column in code points (both from 1) and the
/// source's name in the value, and the offset from the beginning of the source as the index; more left over than
/// carry_over_limit; under Formats::text_only, for every tokenizer but Bytes, a source that begins like a file of
/// another format (gzip, PNG, PDF, UTF-16, ...), with its name. After an error the reader is of no more use.
class TokenReader {
 public:
  /// `tokenizer` must outlive the reader. `name` stands for the source in messages.
  POSENC_EXPORT TokenReader(const Tokenizer& tokenizer, Source source, std::string name,
                            const ReadOptions& options = {});
  TokenReader(Tokenizer&&, Source, std::string, const ReadOptions& = {}) = delete;
  POSENC_EXPORT ~TokenReader();
  TokenReader(const TokenReader&) = delete;
  TokenReader& operator=(const TokenReader&) = delete;

  /// The next ids. Returns how many there are: ids.size() as long as the text goes on, fewer at its end or at that of
  /// `most`, then 0.
  POSENC_EXPORT std::size_t read(std::span<std::int32_t> ids);

  /// Bytes of the text that the ids found so far come from; after the end, all of them.
  POSENC_EXPORT std::int64_t bytes() const;
  /// Of the ids found so far, the place from the beginning of the source; complete after the end.
  const Unknowns& unknowns() const { return unknowns_; }

 private:
  void advance();

  const Tokenizer* tokenizer_;
  std::size_t wanted_;  // ids still to be found
  std::unique_ptr<TextFeed> feed_;
  std::vector<std::int32_t> found_ = {};  // those from given_ on have not been asked for yet
  std::size_t given_ = 0;
  Unknowns unknowns_ = {};
  bool ended_ = false;
};

// ---- vocabularies from text -----------------------------------------------------------------------

/// What a vocabulary is made of.
enum class Unit : std::uint8_t { character = 1, word };

/// The vocabulary of a text for Chars or Words: special_tokens as ids 0 to 3, then every character (of NFC) or word by
/// falling frequency, of equals the one first that occurs first. `name` stands for the source in messages.
/// Errors: those of a TokenReader; more than vocabulary_token_limit tokens; a word longer than token_byte_limit.
POSENC_EXPORT Vocabulary build_vocabulary(Unit unit, Source source, std::string name,
                                          Formats formats = Formats::text_only);

}  // namespace posenc::io
