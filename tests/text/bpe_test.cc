// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE on small vocabularies: what is refused, the order of merges, added tokens, and texts in chunks.
#include <posenc/text/bpe.h>

#include "tests/text/cut_text.h"
#include "tests/text/naive_bpe.h"
#include "tests/text/small_bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using posenc::Problem;
using posenc::io::Bpe;
using posenc::io::Pattern;
using posenc::io::Rest;
using posenc::test::all_bytes;
using posenc::test::bytes_and;
using posenc::test::paired_parts;
using posenc::test::parts_of;
using Strings = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

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
  expect_problem(tokens, {ab, {257, 'a'}}, "[bpe] a merge must join two tokens, got 257 and 97 at [1]");
  expect_problem(tokens, {{'a', -1}}, "[bpe] a merge must join two tokens, got 97 and -1 at [0]");
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

// A loop that looks at all pairs for each join would need 10^11 looks here.
TEST(Bpe, HalfAMillionEqualLettersJoinToTheLongestToken) {
  Strings more;
  std::vector<Bpe::Merge> merges;
  for (int power = 1; power <= 10; ++power) {
    more.emplace_back(std::size_t{1} << power, 'a');
    const std::int32_t half = power == 1 ? 'a' : 254 + power;
    merges.push_back({half, half});
  }
  const Bpe bpe(bytes_and(more), merges);
  const std::string text(511 * 1024 + 3, 'a');
  Ids expected(511, 265);
  expected.insert(expected.end(), {256, 'a'});
  EXPECT_EQ(bpe.encode(text), expected);
}

// Random vocabularies over two letters, in any order of ranks: a pair may outrank the pairs it is made of, and several
// pairs may make one token.
TEST(Bpe, EqualsTheRuleAsItIsTold) {
  std::mt19937 random(20240607);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
  for (int round = 0; round < 300; ++round) {
    Strings words = {"a", "b"};
    std::vector<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < 1 + below(12); ++i) {
      pairs.emplace_back(words[below(words.size())], words[below(words.size())]);
      words.push_back(pairs.back().first + pairs.back().second);
    }
    std::shuffle(pairs.begin(), pairs.end(), random);
    posenc::test::Ranks ranks;
    for (const auto& pair : pairs) ranks.emplace(pair, ranks.size());
    const Bpe bpe(posenc::test::joined_parts(pairs));
    for (int word = 0; word < 20; ++word) {
      std::string text;
      for (std::size_t left = below(word == 0 ? 150 : 40); left > 0; --left) text += below(3) == 0 ? 'b' : 'a';
      EXPECT_EQ(tokens_of(bpe, text), posenc::test::naive_merge(ranks, text)) << text;
    }
  }
}

// ---- all parts ----

void expect_wrong(const Bpe::Parts& parts, const std::string& message) {
  const std::optional<Problem> problem = Bpe::check(parts);
  ASSERT_TRUE(problem) << message;
  EXPECT_EQ(problem->message(), message);
  EXPECT_THROW(Bpe{parts}, posenc::Error);
}

TEST(BpeParts, MustBeStated) {
  Bpe::Parts parts = parts_of(all_bytes());
  EXPECT_FALSE(Bpe::check(parts));
  parts.pattern = {};
  expect_wrong(parts, "[bpe] pattern must be stated, got no such value");
  parts = parts_of(all_bytes());
  parts.normalization = {};
  expect_wrong(parts, "[bpe] normalization must be stated, got no such value");
  parts = parts_of(all_bytes());
  parts.whole_pieces = {};
  expect_wrong(parts, "[bpe] whole_pieces must be stated, got no such value");
  parts = parts_of(all_bytes());
  parts.unknown_bytes = {};
  expect_wrong(parts, "[bpe] unknown_bytes must be stated, got no such value");
  parts.unknown_bytes = Bpe::UnknownBytes::one_each;
  parts.unknown_id = 256;
  expect_wrong(parts, "[bpe] the unknown id must be that of a token, got 256");
}

TEST(BpeParts, AddedTokensMustDifferAndBeText) {
  const auto with = [](const std::vector<Bpe::AddedToken>& added) {
    Bpe::Parts parts = parts_of(all_bytes());
    parts.normalization = Bpe::Normalization::nfc;
    parts.added_tokens = added;
    return parts;
  };
  constexpr auto text = Bpe::Sought::in_text, normal = Bpe::Sought::in_normal_text;
  EXPECT_FALSE(Bpe::check(with({{300, "<a>", text}, {256, "<b>", normal}, {97, "a", text}})));
  expect_wrong(with({{300, "<a>"}}), "[bpe] where an added token is sought must be stated, got no such value at [0]");
  expect_wrong(with({{300, "<a>", text}, {301, "", text}}),
               "[bpe] an added token must have at least one byte, got none at [1]");
  expect_wrong(with({{300, "\xFF", text}}), "[bpe] an added token must be valid UTF-8, got other bytes at [0]");
  expect_wrong(with({{-1, "<a>", text}}), "[bpe] the id of an added token must be one of 0 to 2^31 - 2, got -1 at [0]");
  expect_wrong(with({{300, "<a>", text}, {301, "<a>", normal}}),
               "[bpe] the texts of added tokens must differ, got the text of added token 0 at [1]");
  expect_wrong(with({{300, "\u00E9", text}, {301, "e\u0301", normal}}),
               "[bpe] the texts of added tokens must differ, got the text of added token 0 at [1]");
  expect_wrong(with({{300, "<a>", text}, {300, "<b>", text}}),
               "[bpe] the ids of added tokens must differ, got the id of added token 0 at [1]");
}

TEST(BpeParts, AByteThatIsNoTokenIsAnErrorWithItsOffset) {
  Strings tokens = all_bytes();
  tokens['q'] = "";
  const Bpe bpe(parts_of(tokens));
  EXPECT_EQ(bpe.encode("ab"), (Ids{'a', 'b'}));
  EXPECT_EQ(bpe.check_encode("ab cqd")->message(),
            "[bpe_encode] each byte of a text must be a token of the vocabulary, got byte \\x71 at [4]");
  Ids ids = {7};
  EXPECT_THROW(bpe.encode_prefix("ab cqd ", Rest::follows, ids), posenc::Error);
  EXPECT_EQ(ids, Ids{7});

  Bpe::Parts parts = parts_of(tokens);
  parts.normalization = Bpe::Normalization::nfc;
  parts.added_tokens = {{256, "<x>", Bpe::Sought::in_text}};
  EXPECT_EQ(Bpe(parts).check_encode("<x>e\u0301 e\u0301q")->index, (std::vector<std::int64_t>{10}));
}

// The ids are those of the package for a vocabulary without "q" and with "UNK" in its place.
TEST(BpeParts, UnknownBytesAreOneTokenEachOrOneARunWithinAPiece) {
  Strings tokens = all_bytes();
  tokens['q'] = "UNK";
  Bpe::Parts parts = parts_of(tokens);
  parts.unknown_id = 'q';
  parts.unknown_bytes = Bpe::UnknownBytes::one_each;
  EXPECT_EQ(Bpe(parts).encode("aqqb qq"), (Ids{97, 113, 113, 98, 32, 113, 113}));
  EXPECT_EQ(Bpe(parts).unknown(), 113);
  parts.unknown_bytes = Bpe::UnknownBytes::one_a_run;
  EXPECT_EQ(Bpe(parts).encode("aqqb qq"), (Ids{97, 113, 98, 32, 113}));
  EXPECT_EQ(Bpe(all_bytes(), {}).unknown(), std::nullopt);
}

TEST(BpeParts, CountsUnknownBytesWithTheFirstAndItsPlace) {
  Strings tokens = all_bytes();
  tokens['q'] = "UNK";
  tokens['z'] = "";
  Bpe::Parts parts = parts_of(tokens);
  parts.tokens.push_back(" zq");
  parts.unknown_id = 'q';
  parts.added_tokens = {{300, "<q>", Bpe::Sought::in_text}};
  parts.normalization = Bpe::Normalization::nfc;
  const std::string text = "a<q>e\u0301\n \u00E9 aqzb qq";
  const auto unknowns_in = [&](const Bpe& bpe, std::string_view all) {
    const posenc::test::Encoded whole = posenc::test::encode_whole(bpe, all);
    for (std::size_t size = 1; size < 9; ++size) {
      EXPECT_EQ(posenc::test::encode_cut(bpe, all, size), whole) << size;
    }
    EXPECT_EQ(posenc::test::encode_read(bpe, posenc::io::text_source(std::string(all)), 3), whole);
    return whole.unknowns;
  };
  using posenc::io::Unknowns;
  parts.unknown_bytes = Bpe::UnknownBytes::one_each;
  EXPECT_EQ(unknowns_in(Bpe(parts), text), (Unknowns{4, "q", 13, 2, 5}));
  parts.unknown_bytes = Bpe::UnknownBytes::one_a_run;
  EXPECT_EQ(unknowns_in(Bpe(parts), text), (Unknowns{2, "qz", 13, 2, 5}));
  EXPECT_EQ(unknowns_in(Bpe(parts), "<q>"), Unknowns{});
  EXPECT_EQ(unknowns_in(Bpe(parts), "a zq"), (Unknowns{1, "zq", 2, 1, 3}));
  parts.whole_pieces = Bpe::WholePieces::taken;
  EXPECT_EQ(unknowns_in(Bpe(parts), "a zq"), Unknowns{});
}

TEST(BpeParts, AWholePieceIsTakenOnlyWhereThatIsStated) {
  Bpe::Parts parts = parts_of(bytes_and({"abc", " abc"}));
  EXPECT_EQ(Bpe(parts).encode("abc abc"), (Ids{'a', 'b', 'c', ' ', 'a', 'b', 'c'}));
  parts.whole_pieces = Bpe::WholePieces::taken;
  EXPECT_EQ(Bpe(parts).encode("abc abc abcd"), (Ids{256, 257, ' ', 'a', 'b', 'c', 'd'}));
}

TEST(BpeParts, TheLeftmostAddedTokenIsTakenAndOfThoseTheLongest) {
  Bpe::Parts parts = parts_of(all_bytes());
  parts.added_tokens = {
      {256, "<a>", Bpe::Sought::in_text}, {257, "<a><b>", Bpe::Sought::in_text}, {1000, "b><c", Bpe::Sought::in_text}};
  const Bpe bpe(parts);
  EXPECT_EQ(bpe.encode("<a><b><c><a><b"), (Ids{257, '<', 'c', '>', 256, '<', 'b'}));
  EXPECT_EQ(bpe.size(), 1001);
  EXPECT_EQ(bpe.token(1000), "b><c");
  EXPECT_EQ(bpe.token(999), "");
  EXPECT_EQ(bpe.decode(Ids{257, 'x', 1000}), "<a><b>xb><c");
}

TEST(BpeParts, AddedTokensInNormalTextComeAfterThoseInTheText) {
  Bpe::Parts parts = parts_of(all_bytes());
  parts.normalization = Bpe::Normalization::nfc;
  parts.added_tokens = {{256, "ab", Bpe::Sought::in_normal_text},
                        {257, "bc", Bpe::Sought::in_text},
                        {258, "e\u0301x", Bpe::Sought::in_normal_text},
                        {259, "<x>", Bpe::Sought::in_text}};
  const Bpe bpe(parts);
  EXPECT_EQ(bpe.encode("abcab"), (Ids{'a', 257, 256}));
  EXPECT_EQ(bpe.encode("e\u0301x\u00E9x"), (Ids{258, 258}));
  EXPECT_EQ(bpe.encode("e<x>\u0301e\u0301"), (Ids{'e', 259, 0xCC, 0x81, 0xC3, 0xA9}));
}

// ---- prefixes ----

struct Prefix {
  std::string text;
  std::size_t size;
};

TEST(BpePrefix, EndsWhereNothingThatFollowsCanChangeTheIds) {
  Bpe::Parts parts = parts_of(all_bytes());
  parts.pattern = Pattern::qwen;
  parts.normalization = Bpe::Normalization::nfc;
  parts.added_tokens = {{256, "<x>", Bpe::Sought::in_text}};
  const Bpe bpe(parts);
  const std::vector<Prefix> prefixes = {
      {"", 0},           {"a", 0},           {"ab c", 2},
      {"ab <x", 0},      {"ab !<x", 2},      {"ab<x>", 5},
      {"ab<x>c", 5},     {"ab<y c", 4},      {"12", 1},
      {"a\n ", 1},       {"a\n b", 1},       {"don't", 3},
      {"don't go", 5},   {"a e\u0301", 1},   {"a e\u0301 b", 5},
      {"a.\xE6\x88", 0}, {"a.b\xE6\x88", 1}, {"x 'r", 1},
      {"x  're", 4},     {"1\u00A0", 1},     {"1\u00A0\u00A0", 1},
  };
  for (const auto& [text, size] : prefixes) {
    Ids ids, whole;
    EXPECT_EQ(bpe.encode_prefix(text, Rest::follows, ids), size) << text;
    bpe.encode_prefix(text.substr(0, size), Rest::none, whole);
    EXPECT_EQ(ids, whole) << text;
  }
}

TEST(BpePrefix, AnyChunksGiveTheIdsOfTheWhole) {
  const Strings fragments = {"a",      "e",      "'",      "s",      "r",       "l",      " ",      "  ",
                             "\n",     "\r",     "\t",     "1",      "2",       "!",      "<",      "<x",
                             "<x>",    "x>",     "\u0301", "\u0323", "e\u0301", "\u00E9", "\u1100", "\u1161",
                             "\u11A8", "\u0958", "\u05B7", "\u212B", "\u2028",  "\u00A0", "\u017F", "\U0001F44D"};
  std::string all;
  for (const std::string& fragment : fragments) all += fragment;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::mt19937 random(20250117);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
  for (const Pattern pattern : {Pattern::gpt2, Pattern::llama3, Pattern::qwen}) {
    for (const auto normalization : {Bpe::Normalization::none, Bpe::Normalization::nfc}) {
      Bpe::Parts parts = paired_parts(all);
      parts.pattern = pattern;
      parts.normalization = normalization;
      const auto first = static_cast<std::int32_t>(parts.tokens.size());
      parts.added_tokens = {{first, "<x>", Bpe::Sought::in_text},
                            {first + 1, "<x>x>", Bpe::Sought::in_normal_text},
                            {first + 2, "e\u0301e", Bpe::Sought::in_normal_text},
                            {first + 3, "  <", Bpe::Sought::in_normal_text}};
      const Bpe bpe(parts);
      for (int round = 0; round < 400; ++round) {
        std::string text;
        for (std::size_t left = below(24); left > 0; --left) text += fragments[below(fragments.size())];
        const Ids whole = bpe.encode(text);
        for (const std::size_t most : {1, 2, 9}) {
          Ids ids;
          std::size_t done = 0, end = 0;
          while (end < text.size()) {
            end = std::min(text.size(), end + 1 + below(most));
            const Rest rest = end == text.size() ? Rest::none : Rest::follows;
            done += bpe.encode_prefix(std::string_view(text).substr(done, end - done), rest, ids);
          }
          EXPECT_EQ(done, text.size());
          ASSERT_EQ(ids, whole) << testing::PrintToString(text) << " in chunks of up to " << most;
        }
      }
    }
  }
}

TEST(BpePrefix, InvalidTextIsFoundAndACutCharacterIsLeftOver) {
  const Bpe bpe(all_bytes(), {});
  Ids ids;
  EXPECT_EQ(bpe.encode_prefix("ab \xE6\x88", Rest::follows, ids), 2u);
  EXPECT_EQ(ids, (Ids{'a', 'b'}));
  EXPECT_THROW(bpe.encode_prefix("ab \xE6\x88", Rest::none, ids), posenc::Error);
  EXPECT_THROW(bpe.encode_prefix("ab \xE6( ", Rest::follows, ids), posenc::Error);
  EXPECT_EQ(ids, (Ids{'a', 'b'}));
}

}  // namespace
