// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a text: what occurs in it, counted.
#include <posenc/text/tokenizer.h>

#include "src/text/text_feed.h"
#include "src/text/unicode/segmentation.h"
#include "src/text/vocabulary/make_vocabulary.h"

#include <algorithm>
#include <numeric>

namespace posenc::io {
namespace {

constexpr std::string_view building = "build_vocabulary";

class Counter {
 public:
  Counter() {
    for (const std::string_view token : special_tokens) take(token, 0);
  }

  void take(std::string_view token, std::size_t offset) {
    const auto fail = [&](std::string rule, std::string value) {
      throw Error({std::string(building), std::move(rule), std::move(value), {static_cast<std::int64_t>(offset)}});
    };
    if (token.size() > token_byte_limit) {
      fail("a token must have at most " + std::to_string(token_byte_limit) + " bytes", std::to_string(token.size()));
    }
    const TokenTable::Added added = table_.add(token);
    if (added.is_new) counts_.push_back(0);
    if (table_.size() > vocabulary_token_limit) {
      fail("a vocabulary must have at most " + std::to_string(vocabulary_token_limit) + " tokens", "one more");
    }
    ++counts_[static_cast<std::size_t>(added.id)];
  }

  Vocabulary finish() const {
    std::vector<std::int32_t> order(counts_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(special_tokens.size());
    std::stable_sort(first, order.end(), [this](std::int32_t a, std::int32_t b) {
      return counts_[static_cast<std::size_t>(a)] > counts_[static_cast<std::size_t>(b)];
    });
    auto sorted = std::make_shared<TokenTable>();
    for (const std::int32_t id : order) sorted->add(table_.token(id));
    return make_vocabulary(std::move(sorted));
  }

 private:
  TokenTable table_ = {};
  std::vector<std::int64_t> counts_ = {};  // by number in table_
};

}  // namespace

Vocabulary build_vocabulary(Unit unit, Source source, std::string name, Formats formats) {
  if (unit != Unit::character && unit != Unit::word) {
    throw Error({std::string(building), "the unit must be stated", std::to_string(static_cast<int>(unit))});
  }
  TextFeed feed(std::move(source), std::move(name), formats);
  Counter counter;
  const auto take = [&](std::string_view token, std::size_t offset) { counter.take(token, offset); };
  const auto visit = [&](std::string_view text, Rest rest) {
    text = require_utf8(building, text, rest);
    return unit == Unit::character ? visit_characters(building, text, rest, take) : visit_words(text, rest, take);
  };
  while (feed.advance(visit)) {
  }
  return counter.finish();
}

}  // namespace posenc::io
