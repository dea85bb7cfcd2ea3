// SPDX-License-Identifier: Apache-2.0
// Vocabularies as values, and what their files hold.
#include <posenc/text/vocabulary.h>

#include "src/base/quote.h"
#include "src/text/unicode/first_bytes.h"
#include "src/text/unicode/utf8.h"
#include "src/text/vocabulary/check_id.h"
#include "src/text/vocabulary/make_vocabulary.h"
#include "src/text/vocabulary/vocabulary_line.h"

namespace posenc::io {
namespace {

constexpr std::string_view making = "vocabulary";

std::optional<Problem> check_one(std::string_view token, std::int64_t id) {
  const auto problem = [&](std::string rule, std::string value) {
    return Problem{std::string(making), std::move(rule), std::move(value), {id}};
  };
  if (token.empty()) return problem("a token must have at least one byte", "none");
  if (token.size() > token_byte_limit) {
    return problem("a token must have at most " + std::to_string(token_byte_limit) + " bytes",
                   std::to_string(token.size()));
  }
  if (auto fault = check_utf8(making, token)) return problem(std::move(fault->rule), std::move(fault->value));
  return std::nullopt;
}

// Plain where every line is read back as its token, and the file as a vocabulary.
Spelling spelling_of(const Vocabulary& vocabulary) {
  const std::string_view first = vocabulary.token_checked(0);
  if (first == escapes_line || !format_of_list(std::string(first) + '\n').empty()) return Spelling::escaped;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    if (needs_escapes(vocabulary.token_checked(id))) return Spelling::escaped;
  }
  return Spelling::plain;
}

}  // namespace

std::optional<Problem> Vocabulary::check(const std::vector<std::string>& tokens) {
  if (tokens.empty() || tokens.size() > static_cast<std::size_t>(vocabulary_token_limit)) {
    return Problem{std::string(making),
                   "the number of tokens must be from 1 to " + std::to_string(vocabulary_token_limit),
                   std::to_string(tokens.size())};
  }
  TokenTable table;
  for (const std::string& token : tokens) {
    const std::int64_t id = table.size();
    if (auto problem = check_one(token, id)) return problem;
    const TokenTable::Added added = table.add(token);
    if (!added.is_new) {
      return Problem{std::string(making),
                     "tokens must differ",
                     quote(token) + ", which is token " + std::to_string(added.id),
                     {id}};
    }
  }
  return std::nullopt;
}

Vocabulary::Vocabulary(Checked, const std::vector<std::string>& tokens) {
  auto table = std::make_shared<TokenTable>();
  for (const std::string& token : tokens) table->add(token);
  table_ = std::move(table);
}

Vocabulary make_vocabulary(std::shared_ptr<const TokenTable> table) { return Vocabulary(std::move(table)); }

std::int32_t Vocabulary::size() const { return table_->size(); }

std::optional<std::int32_t> Vocabulary::id(std::string_view token) const { return table_->find(token); }

std::optional<Problem> Vocabulary::check_token(std::int32_t id) const {
  return check_id("vocabulary_token", id, size());
}

std::string_view Vocabulary::token_checked(std::int32_t id) const { return table_->token(id); }

Vocabulary read_vocabulary(const std::string& path) {
  return parse_vocabulary(read_file(path, vocabulary_byte_limit), path);
}

std::string vocabulary_bytes(const Vocabulary& vocabulary) {
  const Spelling spelling = spelling_of(vocabulary);
  std::string bytes;
  if (spelling == Spelling::escaped) bytes.append(escapes_line) += '\n';
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string_view token = vocabulary.token_checked(id);
    if (spelling == Spelling::escaped) {
      append_line(token, bytes);
    } else {
      bytes += token;
    }
    bytes += '\n';
  }
  return bytes;
}

void save_vocabulary(const std::string& path, const Vocabulary& vocabulary, const WriteOptions& options) {
  const std::string bytes = vocabulary_bytes(vocabulary);
  write_file(path, std::as_bytes(std::span(bytes)), options);
}

}  // namespace posenc::io
