// SPDX-License-Identifier: Apache-2.0
// Ids that stand in a text as decimal numbers.
#include <posenc/text/tokenizer.h>

#include "src/base/quote.h"
#include "src/text/vocabulary/check_id.h"

#include <algorithm>

namespace posenc::io {
namespace {

constexpr std::string_view encoding_ids = "ids_encode";
constexpr std::string_view separators = " \t\n\r,";

bool is_separator(char byte) { return separators.find(byte) != separators.npos; }

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

bool is_plain_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit) && (text.size() == 1 || text.front() != '0');
}

// The value of a plain number, or -1 for one that no id can have.
std::int64_t value_of(std::string_view digits) {
  constexpr std::size_t most_digits = 10;  // of 2^31 - 1
  if (digits.size() > most_digits) return -1;
  std::int64_t value = 0;
  for (const char digit : digits) value = 10 * value + (digit - '0');
  return value;
}

[[noreturn]] void fail(std::string_view rule, std::string value, std::size_t offset) {
  throw Error({std::string(encoding_ids), std::string(rule), std::move(value), {static_cast<std::int64_t>(offset)}});
}

std::int32_t id_of(std::string_view number, std::int32_t size, std::size_t offset) {
  const bool negative = number.starts_with('-') && number != "-0";
  if (!is_plain_number(number.substr(negative ? 1 : 0))) {
    fail("ids must be plain decimal numbers with blanks, commas or newlines between them", quote(number), offset);
  }
  const std::int64_t value = negative ? -1 : value_of(number);
  if (value < 0 || value >= size) {
    fail("a token id must be one of 0 to " + std::to_string(size - 1), quote(number), offset);
  }
  return static_cast<std::int32_t>(value);
}

// Where the separators from `at` on end. At most one comma stands among them, and none before the first number.
std::size_t skip_separators(std::string_view text, std::size_t at, Rest rest) {
  bool comma_may_come = at > 0;
  std::size_t comma = text.size();
  for (; at < text.size() && is_separator(text[at]); ++at) {
    if (text[at] == '\r') {
      const bool unseen = at + 1 == text.size() && rest == Rest::follows;
      if (unseen) break;
      if (!text.substr(at + 1).starts_with('\n')) fail("a carriage return must end a line", "one without \\n", at);
    }
    if (text[at] != ',') continue;
    if (!comma_may_come) fail("a comma must stand between two ids", "one that does not", at);
    comma_may_come = false;
    comma = at;
  }
  if (at == text.size() && comma < at && rest == Rest::none) {
    fail("a comma must stand between two ids", "one that does not", comma);
  }
  return at;
}

}  // namespace

std::optional<Problem> Ids::check(std::int32_t size) {
  if (size > 0) return std::nullopt;
  return Problem{"ids", "the number of ids must be at least 1", std::to_string(size)};
}

// A text that goes on is taken up to its last number: what comes may lengthen it, and what may come behind it is the
// same for every number, so that nothing has to be remembered.
std::size_t Ids::encode_prefix(std::string_view text, Rest rest, std::vector<std::int32_t>& ids) const {
  std::vector<std::int32_t> found;
  std::size_t at = skip_separators(text, 0, rest);
  while (at < text.size() && text[at] != '\r') {
    const std::size_t start = at;
    while (at < text.size() && !is_separator(text[at])) ++at;
    const std::size_t end = at;
    at = skip_separators(text, end, rest);
    if (rest == Rest::follows && (at == text.size() || text[at] == '\r')) {
      at = start;
      break;
    }
    found.push_back(id_of(text.substr(start, end - start), size_, start));
  }
  ids.insert(ids.end(), found.begin(), found.end());
  return at;
}

std::string Ids::token(std::int32_t id) const {
  require(check_id("ids_token", id, size_));
  return std::to_string(id);
}

}  // namespace posenc::io
