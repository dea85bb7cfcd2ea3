// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE on small vocabularies: what is refused, the order of merges, and the pieces of a text.
#include <posenc/bpe.h>

#include "tests/text/naive_bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using posenc::Problem;
using posenc::io::Bpe;
using posenc::io::gpt2_piece;
using Strings = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

Strings all_bytes() {
  Strings tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  return tokens;
}

// The bytes, and a token for each further text.
Strings bytes_and(const Strings& more) {
  Strings tokens = all_bytes();
  tokens.insert(tokens.end(), more.begin(), more.end());
  return tokens;
}

Strings pieces_of(std::string_view text) {
  Strings pieces;
  while (!text.empty()) {
    pieces.emplace_back(text.substr(0, gpt2_piece(text)));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

Strings tokens_of(const Bpe& bpe, std::string_view text) {
  Strings tokens;
  for (const std::int32_t id : bpe.encode(text)) tokens.emplace_back(bpe.token(id));
  return tokens;
}

void expect_problem(const Strings& tokens, const std::vector<Bpe::Merge>& merges, const std::string& message) {
  const std::optional<Problem> problem = Bpe::check(tokens, merges);
  ASSERT_TRUE(problem) << message;
  EXPECT_EQ(problem->message(), message);
  EXPECT_THROW(Bpe(tokens, merges), posenc::Error) << message;
}

TEST(Bpe, BytesAloneAreAVocabulary) {
  const Bpe bpe(all_bytes(), {});
  EXPECT_EQ(bpe.size(), 256);
  EXPECT_TRUE(bpe.encode("").empty());
  EXPECT_EQ(bpe.encode(std::string_view("a\0b", 3)), (Ids{'a', 0, 'b'}));
  EXPECT_EQ(bpe.decode(Ids{0xE6, 0x88, 0x91}), "我");
  EXPECT_EQ(bpe.decode({}), "");
}

TEST(Bpe, RefusesTokensThatAreNoVocabulary) {
  expect_problem({}, {}, "[bpe] each of the 256 bytes must be a token, got none for byte 0");
  Strings tokens = all_bytes();
  tokens[65] = "AA";
  expect_problem(tokens, {}, "[bpe] each of the 256 bytes must be a token, got none for byte 65");
  expect_problem(bytes_and({"ab", ""}), {}, "[bpe] a token must have at least one byte, got none at [257]");
  expect_problem(bytes_and({"ab", "ac", "ab"}), {}, "[bpe] tokens must differ, got the bytes of token 256 at [258]");
}

TEST(Bpe, RefusesMergesThatMakeNoToken) {
  const Strings tokens = bytes_and({"ab"});
  const Bpe::Merge ab{'a', 'b'};
  expect_problem(tokens, {ab, {257, 'a'}}, "[bpe] a merge must join ids of 0 to 256, got 257 and 97 at [1]");
  expect_problem(tokens, {{'a', -1}}, "[bpe] a merge must join ids of 0 to 256, got 97 and -1 at [0]");
  expect_problem(tokens, {ab, {'b', 'a'}}, "[bpe] the bytes of a merge in a row must be a token, got 98 and 97 at [1]");
  expect_problem(tokens, {ab, ab}, "[bpe] merges must differ, got 97 and 98 at [1]");
  EXPECT_FALSE(Bpe::check(tokens, {ab}));
}

TEST(Bpe, NamesAnIdThatIsNoToken) {
  const Bpe bpe(all_bytes(), {});
  EXPECT_EQ(bpe.check_token(256)->message(), "[bpe_token] a token id must be one of 0 to 255, got 256");
  EXPECT_EQ(bpe.check_decode(Ids{1, 2, -7})->message(),
            "[bpe_decode] a token id must be one of 0 to 255, got -7 at [2]");
  EXPECT_FALSE(bpe.check_decode(Ids{0, 255}));
  EXPECT_THROW(bpe.token(-1), posenc::Error);
  EXPECT_THROW(bpe.decode(Ids{256}), posenc::Error);
}

TEST(Bpe, JoinsTheLowestRankFirst) {
  const Strings tokens = bytes_and({"bc", "ab", "abc"});
  EXPECT_EQ(tokens_of(Bpe(tokens, {{'b', 'c'}, {'a', 'b'}}), "abc"), (Strings{"a", "bc"}));
  EXPECT_EQ(tokens_of(Bpe(tokens, {{'a', 'b'}, {'b', 'c'}}), "abc"), (Strings{"ab", "c"}));
  EXPECT_EQ(tokens_of(Bpe(tokens, {{'b', 'c'}, {'a', 256}}), "abcab"), (Strings{"abc", "a", "b"}));
}

TEST(Bpe, JoinsTheLeftmostOfEqualsFirst) {
  const Bpe bpe(bytes_and({"aa"}), {{'a', 'a'}});
  EXPECT_EQ(tokens_of(bpe, "aaa"), (Strings{"aa", "a"}));
  EXPECT_EQ(tokens_of(bpe, "aaaaaaa"), (Strings{"aa", "aa", "aa", "a"}));
}

TEST(Bpe, MergesDoNotCrossPieces) {
  const Bpe bpe(bytes_and({"a1", "a "}), {{'a', '1'}, {'a', ' '}});
  EXPECT_EQ(tokens_of(bpe, "a1a a"), (Strings{"a", "1", "a", " ", "a"}));
}

// A loop that looks at all pairs for each join would need 10^12 looks here.
TEST(Bpe, AMillionEqualLettersJoinToTheLongestToken) {
  Strings more;
  std::vector<Bpe::Merge> merges;
  for (int power = 1; power <= 10; ++power) {
    more.emplace_back(std::size_t{1} << power, 'a');
    const std::int32_t half = power == 1 ? 'a' : 254 + power;
    merges.push_back({half, half});
  }
  const Bpe bpe(bytes_and(more), merges);
  const std::string text((std::size_t{1} << 20) + 3, 'a');
  Ids expected(1024, 265);
  expected.insert(expected.end(), {256, 'a'});
  EXPECT_EQ(bpe.encode(text), expected);
}

// Random vocabularies over two letters, in any order of ranks: a pair may outrank the pairs it is made of, and several
// pairs may make one token.
TEST(Bpe, EqualsTheRuleAsItIsTold) {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
  for (int round = 0; round < 300; ++round) {
    Strings tokens = all_bytes();
    Strings parts = {"a", "b"};
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < 1 + below(12); ++i) {
      pairs.emplace_back(parts[below(parts.size())], parts[below(parts.size())]);
      parts.push_back(pairs.back().first + pairs.back().second);
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    posenc::test::Ranks ranks;
    std::vector<Bpe::Merge> merges;
    const auto id_of = [&](const std::string& token) {
      const auto found = std::find(tokens.begin(), tokens.end(), token);
      const auto id = static_cast<std::int32_t>(found - tokens.begin());
      if (found == tokens.end()) tokens.push_back(token);
      return id;
    };
    for (const auto& pair : pairs) {
      if (!ranks.emplace(pair, ranks.size()).second) continue;
      merges.push_back({id_of(pair.first), id_of(pair.second)});
      id_of(pair.first + pair.second);
    }
    const Bpe bpe(tokens, merges);
    for (int word = 0; word < 20; ++word) {
      std::string text;
      for (std::size_t left = below(40); left > 0; --left) text += below(3) == 0 ? 'b' : 'a';
      EXPECT_EQ(tokens_of(bpe, text), posenc::test::naive_merge(ranks, text)) << text;
    }
  }
}

struct Cut {
  std::string text;
  Strings pieces;
};

TEST(Gpt2Piece, CutsTextAsThePatternSays) {
  const std::vector<Cut> cuts = {
      {"", {}},
      {"I love you", {"I", " love", " you"}},
      {"我爱你", {"我爱你"}},
      {"it's we'll", {"it", "'s", " we", "'ll"}},
      {"'re've'm'd't", {"'re", "'ve", "'m", "'d", "'t"}},
      {"IT'S ''s 's", {"IT", "'", "S", " ''", "s", " '", "s"}},
      {"'", {"'"}},
      {"abc123!?", {"abc", "123", "!?"}},
      {" abc 123 !?", {" abc", " 123", " !?"}},
      {"x  y", {"x", " ", " y"}},
      {"x \n y", {"x", " \n", " y"}},
      {"x\n\ny", {"x", "\n", "\n", "y"}},
      {"x\ty", {"x", "\t", "y"}},
      {"x  ", {"x", "  "}},
      {" ", {" "}},
      {"\u00A0\u3000z", {"\u00A0", "\u3000", "z"}},
      {" \u0085\u2028 1", {" \u0085\u2028", " 1"}},
      {"a\u200Bb\u1680c", {"a", "\u200B", "b", "\u1680", "c"}},
      {"e\u0301", {"e", "\u0301"}},
      {"½Ⅷ٣", {"½Ⅷ٣"}},
      {"👍🏽 ok", {"👍🏽", " ok"}},
      {std::string("a\0\x1C z", 5), {"a", std::string("\0\x1C", 2), " z"}},
  };
  for (const Cut& cut : cuts) EXPECT_EQ(pieces_of(cut.text), cut.pieces) << cut.text;
}

TEST(Gpt2Piece, StaysWithinAnyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (std::size_t left = 1 + random() % 6; left > 0; --left) bytes += static_cast<char>(random() & 0xFF);
    const std::size_t size = gpt2_piece(bytes);
    EXPECT_TRUE(size >= 1 && size <= bytes.size());
  }
}

}  // namespace
