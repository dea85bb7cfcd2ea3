// SPDX-License-Identifier: Apache-2.0
// Bytes, characters and words as tokens.
#include <posenc/text/tokenizer.h>

#include "src/base/quote.h"
#include "src/text/unicode/line_column.h"
#include "src/text/unicode/segmentation.h"
#include "src/text/vocabulary/check_id.h"

namespace posenc::io {
namespace {

constexpr std::string_view chars = "chars_encode";
constexpr std::string_view words = "words_encode";

// Looks the first `most` tokens up and counts those that are not there.
class Lookup {
 public:
  Lookup(const Vocabulary& vocabulary, std::size_t most)
      : vocabulary_(vocabulary), left_(most), unknown_id_(vocabulary.unknown()) {}

  void operator()(std::string_view token, std::size_t offset) {
    if (left_ == 0) return;
    --left_;
    std::optional<std::int32_t> id = vocabulary_.id(token);
    if (!id) {
      unknowns_.add(token, offset);
      id = unknown_id_;
    }
    if (id) ids_.push_back(*id);
  }

  // Hands over what has been found. Errors: unknown tokens, when none stands for them.
  void finish(std::string_view operation, std::string_view rule, std::string_view text, std::vector<std::int32_t>& ids,
              Unknowns& unknowns) const {
    if (unknowns_.count > 0 && !unknown_id_) {
      throw Error({std::string(operation),
                   std::string(rule),
                   quote(unknowns_.first),
                   {static_cast<std::int64_t>(unknowns_.offset)}});
    }
    add_unknowns(unknowns, unknowns_, text);
    ids.insert(ids.end(), ids_.begin(), ids_.end());
  }

 private:
  const Vocabulary& vocabulary_;
  std::size_t left_;
  std::optional<std::int32_t> unknown_id_;
  std::vector<std::int32_t> ids_ = {};
  FoundUnknowns unknowns_ = {};
};

bool is_one_character(std::string_view token) { return scalar_at(token, 0).size == token.size(); }

bool is_name(std::string_view token) { return token.size() > 2 && token.front() == '<' && token.back() == '>'; }

bool has_white_space(std::string_view token) {
  for (std::size_t at = 0; at < token.size();) {
    const Scalar scalar = scalar_at(token, at);
    if (is_white_space(scalar.value)) return true;
    at += scalar.size;
  }
  return false;
}

// The problem of the first token that does not fit.
template <class Fits>
std::optional<Problem> check_tokens(const Vocabulary& vocabulary, std::string_view operation, std::string_view rule,
                                    Fits fits) {
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view token = vocabulary.token_checked(id);
    if (!fits(token)) return Problem{std::string(operation), std::string(rule), quote(token), {id}};
  }
  return std::nullopt;
}

}  // namespace

std::size_t Bytes::encode_prefix(std::string_view text, Rest, std::vector<std::int32_t>& ids) const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  ids.insert(ids.end(), bytes, bytes + text.size());
  return text.size();
}

std::string Bytes::token(std::int32_t id) const {
  require(check_id("bytes_token", id, size()));
  return std::string(1, static_cast<char>(id));
}

std::optional<Problem> Chars::check(const Vocabulary& vocabulary) {
  return check_tokens(vocabulary, "chars", "a token must be one character, or a name in < and >",
                      [](std::string_view token) { return is_one_character(token) || is_name(token); });
}

std::size_t Chars::encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids, Unknowns& unknowns,
                                 std::size_t most) const {
  text = require_utf8(chars, text, rest);
  Lookup lookup(vocabulary_, most);
  const std::size_t size = visit_characters(chars, text, rest, std::ref(lookup));
  lookup.finish(chars, "a character outside the vocabulary needs <unk> in it", text, ids, unknowns);
  return size;
}

std::optional<Problem> Words::check(const Vocabulary& vocabulary) {
  return check_tokens(vocabulary, "words", "a word must have no white space",
                      [](std::string_view token) { return !has_white_space(token); });
}

std::size_t Words::encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids, Unknowns& unknowns,
                                 std::size_t most) const {
  text = require_utf8(words, text, rest);
  Lookup lookup(vocabulary_, most);
  const std::size_t size = visit_words(text, rest, std::ref(lookup));
  lookup.finish(words, "a word outside the vocabulary needs <unk> in it", text, ids, unknowns);
  return size;
}

}  // namespace posenc::io
