// SPDX-License-Identifier: Apache-2.0
// Vocabularies: tokens by id, and their files, one token a line.
#pragma once

#include <posenc/io/file.h>

#include <memory>

namespace posenc::io {

/// Limits of a vocabulary and of its file.
inline constexpr std::int32_t vocabulary_token_limit = std::int32_t{1} << 24;   ///< tokens
inline constexpr std::size_t token_byte_limit = std::size_t{64} << 10;          ///< bytes of one token
inline constexpr std::uint64_t vocabulary_byte_limit = std::uint64_t{1} << 30;  ///< bytes of the file

/// What stands for padding, for a token that is not in the vocabulary, and for the two ends of a sequence. In a
/// vocabulary built from text these are the ids 0 to 3, in this order.
inline constexpr std::array<std::string_view, 4> special_tokens = {"<pad>", "<unk>", "<bos>", "<eos>"};
inline constexpr std::string_view unknown_token = special_tokens[1];

class TokenTable;  // the tokens and the index of their bytes; private

/// Tokens by id: valid UTF-8, none empty, no two alike.
/// Thread safety: immutable; copies share their tokens; const use from many threads is safe.
class Vocabulary {
 public:
  /// Token id = index. Errors (index = the id): no token at all, more than vocabulary_token_limit; a token that is
  /// empty, longer than token_byte_limit, no valid UTF-8, or there twice.
  explicit Vocabulary(const std::vector<std::string>& tokens)
      : Vocabulary((require(check(tokens)), Checked{}), tokens) {}
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const std::vector<std::string>& tokens);

  /// The number of tokens.
  POSENC_EXPORT std::int32_t size() const;
  /// The id of these bytes, or nothing.
  POSENC_EXPORT std::optional<std::int32_t> id(std::string_view token) const;
  /// The id of <unk>, or nothing.
  std::optional<std::int32_t> unknown() const { return id(unknown_token); }
  /// The bytes of one token, valid as long as a copy of this value. Errors: an id outside [0, size).
  std::string_view token(std::int32_t id) const {
    require(check_token(id));
    return token_checked(id);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_token(std::int32_t id) const;
  /// For callers that have called the check.
  POSENC_EXPORT std::string_view token_checked(std::int32_t id) const;

 private:
  struct Checked {};
  friend Vocabulary make_vocabulary(std::shared_ptr<const TokenTable> table);
  POSENC_EXPORT Vocabulary(Checked, const std::vector<std::string>& tokens);
  explicit Vocabulary(std::shared_ptr<const TokenTable> table) : table_(std::move(table)) {}

  std::shared_ptr<const TokenTable> table_;
};

/// The vocabulary in the bytes of a file; `name` stands for the file in messages.
///
/// UTF-8, one token a line, ids count from 0. Lines end in LF or all in CRLF; the last one may lack its end. A line is
/// its token to the byte, a backslash too. Only below a first line "# tokens with escapes: \n \t \r \\ \xNN", which is
/// no token, \n \t \r \\ stand for a newline, a tab, a carriage return and a backslash, and \xNN for the byte with that
/// hexadecimal number; control characters (below U+0020, and U+007F) stand in no other form.
/// Errors, with the line and its byte offset in the file as the index: no token, an empty line, a token twice (both
/// lines), a control character, an unknown escape, a line end unlike the first, invalid UTF-8, a byte order mark, the
/// limits above; bytes that begin like a file of another kind (gzip, npy, HTML, PDF, ...), with its name.
POSENC_EXPORT Vocabulary parse_vocabulary(std::string_view bytes, std::string_view name = "vocabulary");
/// The problem that parse_vocabulary would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_vocabulary(std::string_view bytes,
                                                                    std::string_view name = "vocabulary");
/// read_file, then parse_vocabulary.
POSENC_EXPORT Vocabulary read_vocabulary(const std::string& path);

/// The file of a vocabulary; parse_vocabulary reads the same vocabulary from it. Lines end in LF. Escapes, with the
/// line that announces them, are there only where a token has control characters, U+0080 to U+009F too, or what editors
/// may take for a line's end or drop (U+2028, U+2029, U+FEFF), or where the file would be taken for one of another
/// kind.
POSENC_EXPORT std::string vocabulary_bytes(const Vocabulary& vocabulary);
/// The same bytes under that path, as FileWriter does: whole, or not at all.
POSENC_EXPORT void save_vocabulary(const std::string& path, const Vocabulary& vocabulary,
                                   const WriteOptions& options = {});

}  // namespace posenc::io
