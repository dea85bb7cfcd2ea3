// SPDX-License-Identifier: Apache-2.0
// The beginning of a piece joined before the rest is known: its tokens are the first of the whole, whatever follows.
#include "src/text/bpe/bpe_merges.h"

#include "tests/text/naive_bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using posenc::io::Joiner;
using posenc::io::Joins;
using posenc::io::PlacedToken;
using posenc::test::naive_merge;
using posenc::test::Ranks;
using Strings = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

// Tokens and merges for Joins and for the loop that they are compared with.
class Merges {
 public:
  Merges() {
    for (int byte = 0; byte < 256; ++byte) tokens_.emplace_back(1, static_cast<char>(byte));
    for (std::size_t byte = 0; byte < 256; ++byte) byte_ids_[byte] = static_cast<std::int32_t>(byte);
  }
  void add(const std::string& left, const std::string& right) {
    if (!ranks_.emplace(std::pair(left, right), ranks_.size()).second) return;
    const auto rank = static_cast<std::int32_t>(joins_.size());
    const std::int32_t a = id_of(left), b = id_of(right);
    joins_.push_back({a, b, rank, id_of(left + right)});
  }
  Joins joins() const { return Joins(joins_, tokens_.size()); }
  posenc::io::Spelling spelling() const { return {tokens_, byte_ids_}; }
  const Ranks& ranks() const { return ranks_; }
  const std::string& token(std::int32_t id) const { return tokens_[static_cast<std::size_t>(id)]; }

 private:
  std::int32_t id_of(const std::string& token) {
    const auto found = std::find(tokens_.begin(), tokens_.end(), token);
    if (found == tokens_.end()) tokens_.push_back(token);
    return static_cast<std::int32_t>(std::find(tokens_.begin(), tokens_.end(), token) - tokens_.begin());
  }
  Strings tokens_;
  std::array<std::int32_t, 256> byte_ids_ = {};
  std::vector<Joins::Join> joins_;
  Ranks ranks_;
};

Ids spelled(std::string_view text) {
  Ids ids;
  for (const char byte : text) ids.push_back(static_cast<std::uint8_t>(byte));
  return ids;
}

// Any order of ranks: a pair may outrank the pairs it is made of, and several pairs may make one token.
Merges random_merges(std::mt19937& random, std::string_view letters, std::size_t most) {
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
  Strings parts;
  for (const char letter : letters) parts.emplace_back(1, letter);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t i = 0; i < 1 + below(most); ++i) {
    pairs.emplace_back(parts[below(parts.size())], parts[below(parts.size())]);
    parts.push_back(pairs.back().first + pairs.back().second);
  }
  if (below(2) == 0) std::shuffle(pairs.begin(), pairs.end(), random);
  Merges merges;
  for (const auto& [left, right] : pairs) merges.add(left, right);
  return merges;
}

TEST(JoinStart, GivesTheFirstTokensOfEveryPieceThatBeginsSo) {
  std::mt19937 random(20250612);
  std::size_t certain = 0, all = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string_view letters = std::string_view("abc").substr(0, 1 + random() % 3);
    const Merges merges = random_merges(random, letters, 14);
    const Joins joins = merges.joins();
    Joiner joiner(joins, merges.spelling());
    const auto letter = [&] { return letters[random() % letters.size()]; };
    std::string start;
    for (std::size_t left = random() % 40; left > 0; --left) start += letter();
    std::vector<PlacedToken> tokens;
    std::ranges::copy(joiner.join_start(spelled(start)), std::back_inserter(tokens));
    certain += tokens.empty() ? 0 : tokens.back().end;
    all += start.size();
    for (int more = 0; more < 12; ++more) {
      std::string piece = start;
      for (std::size_t left = more == 0 ? 0 : random() % 12; left > 0; --left) piece += letter();
      const Strings whole = naive_merge(merges.ranks(), piece);
      ASSERT_LE(tokens.size(), whole.size());
      std::size_t end = 0;
      for (std::size_t i = 0; i < tokens.size(); ++i) {
        end += whole[i].size();
        ASSERT_EQ(merges.token(tokens[i].id), whole[i]) << piece << " from " << start;
        ASSERT_EQ(tokens[i].end, end);
        Strings rest = naive_merge(merges.ranks(), piece.substr(end));
        ASSERT_EQ(rest, Strings(whole.begin() + static_cast<std::ptrdiff_t>(i) + 1, whole.end()))
            << piece << " at " << end;
      }
    }
  }
  EXPECT_GT(certain, all / 2);
}

TEST(JoinStart, LeavesOnlyWhatMayJoinWithTheRest) {
  Merges merges;
  merges.add("a", "b");
  merges.add("b", "c");
  const Joins joins = merges.joins();
  Joiner joiner(joins, merges.spelling());
  const auto certain = [&](std::string_view start) {
    const std::span<const PlacedToken> tokens = joiner.join_start(spelled(start));
    return tokens.empty() ? 0u : tokens.back().end;
  };
  EXPECT_EQ(certain(""), 0u);
  EXPECT_EQ(certain("x"), 1u);
  EXPECT_EQ(certain("xa"), 1u);
  EXPECT_EQ(certain("ab"), 2u);  // the b is taken before a c could
  EXPECT_EQ(certain("xb"), 1u);
  EXPECT_EQ(certain("abca"), 3u);
}

// Powers of two of one letter; the last ones are open, no more.
TEST(JoinStart, LeavesLittleOfALongRun) {
  Merges merges;
  for (std::size_t size = 1; size <= 64; size *= 2) merges.add(std::string(size, 'a'), std::string(size, 'a'));
  merges.add("a", "b");
  const Joins joins = merges.joins();
  Joiner joiner(joins, merges.spelling());
  const std::span<const PlacedToken> tokens = joiner.join_start(spelled(std::string(10000, 'a')));
  ASSERT_FALSE(tokens.empty());
  EXPECT_GE(tokens.back().end, 10000u - 2 * 128);
  EXPECT_EQ(tokens.back().end, tokens.size() * 128);
}

TEST(JoinStart, KnowsNothingWhereEveryTokenMayStillChange) {
  Merges merges;
  for (const std::string left : {"d", "c", "b", "a"}) merges.add(left, std::string(1, static_cast<char>(left[0] + 1)));
  const Joins joins = merges.joins();
  Joiner joiner(joins, merges.spelling());
  EXPECT_TRUE(joiner.join_start(spelled("abcd")).empty());
  EXPECT_EQ(joiner.join_start(spelled("abcde")).size(), 3u);
}

}  // namespace
