// SPDX-License-Identifier: Apache-2.0
// The reader of vocabulary files.
#include <posenc/text/vocabulary.h>

#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/text/unicode/first_bytes.h"
#include "src/text/unicode/line_column.h"
#include "src/text/unicode/utf8.h"
#include "src/text/vocabulary/make_vocabulary.h"
#include "src/text/vocabulary/vocabulary_line.h"

#include <algorithm>

namespace posenc::io {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

enum class LineEnd : std::uint8_t { none = 1, lf, crlf };

struct Parser {
  std::string_view bytes;
  std::string_view name;
  TokenTable table = {};
  Spelling spelling = Spelling::plain;
  LineEnd line_end = LineEnd::none;  // of the lines so far

  [[noreturn]] void fail(std::string rule, std::string value, std::size_t offset) const {
    value += in_line(place_in(bytes, offset), name);
    throw Error({"read_vocabulary", std::move(rule), std::move(value), {static_cast<std::int64_t>(offset)}});
  }

  void check_bytes() const {
    const std::string_view format = format_of_list(bytes);
    const std::string list = "a vocabulary must be text in UTF-8, one token a line";
    if (!format.empty()) fail(list, "what begins like " + std::string(format), 0);
    if (bytes.starts_with(byte_order_mark)) fail(list, "a byte order mark", 0);
    if (auto fault = check_utf8("", bytes)) {
      fail(std::move(fault->rule), std::move(fault->value), static_cast<std::size_t>(fault->index[0]));
    }
  }

  // The line from `start` on without its end, whose kind must be that of the lines before.
  std::string_view line_at(std::size_t start, std::size_t newline) {
    std::string_view line = bytes.substr(start, newline - start);
    if (newline == bytes.size()) return line;
    const LineEnd end = line.ends_with('\r') ? LineEnd::crlf : LineEnd::lf;
    if (line_end != LineEnd::none && line_end != end) {
      fail("lines must end in LF, or all in CRLF", end == LineEnd::crlf ? "CRLF after LF" : "LF after CRLF", newline);
    }
    line_end = end;
    if (end == LineEnd::crlf) line.remove_suffix(1);
    return line;
  }

  void take(std::string_view line, std::size_t start, std::string& token) {
    if (line.empty()) fail("a line must hold a token", "none", start);
    token.clear();
    if (const auto fault = parse_line(line, spelling, token)) {
      fail(std::string(fault->rule), fault->value, start + fault->offset);
    }
    if (token.size() > token_byte_limit) {
      fail("a token must have at most " + std::to_string(token_byte_limit) + " bytes", std::to_string(token.size()),
           start);
    }
    if (table.size() == vocabulary_token_limit) {
      fail("a vocabulary must have at most " + std::to_string(vocabulary_token_limit) + " tokens", "more", start);
    }
    const TokenTable::Added added = table.add(token);
    if (!added.is_new) {
      const std::int32_t first_line = spelling == Spelling::escaped ? 2 : 1;
      fail("tokens must differ", quote(token) + ", the token of line " + std::to_string(added.id + first_line) + ",",
           start);
    }
  }

  void parse() {
    check_bytes();
    std::string token;
    for (std::size_t start = 0; start < bytes.size();) {
      const std::size_t newline = std::min(bytes.find('\n', start), bytes.size());
      const std::string_view line = line_at(start, newline);
      if (start == 0 && line == escapes_line) {
        spelling = Spelling::escaped;
      } else {
        take(line, start, token);
      }
      start = newline + 1;
    }
    if (table.size() == 0) fail("a vocabulary must have at least one token", "none", bytes.size());
  }
};

}  // namespace

Vocabulary parse_vocabulary(std::string_view bytes, std::string_view name) {
  Parser parser{bytes, name};
  parser.parse();
  return make_vocabulary(std::make_shared<const TokenTable>(std::move(parser.table)));
}

std::optional<Problem> check_vocabulary(std::string_view bytes, std::string_view name) {
  return problem_of([&] { Parser{bytes, name}.parse(); });
}

}  // namespace posenc::io
