// SPDX-License-Identifier: Apache-2.0
// The pieces of a text by each pattern: by hand, by a regular expression on classes, and under any continuation.
#include "src/text/bpe/pretokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <regex>

namespace {

using posenc::io::Pattern;
using posenc::io::piece_size;
using Strings = std::vector<std::string>;

constexpr Pattern patterns[] = {Pattern::gpt2, Pattern::llama3, Pattern::qwen};

Strings pieces_of(Pattern pattern, std::string_view text) {
  Strings pieces;
  while (!text.empty()) {
    pieces.emplace_back(text.substr(0, piece_size(pattern, text)));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

struct Cut {
  std::string text;
  Strings pieces;
};

TEST(Pieces, OfGpt2) {
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
  for (const Cut& cut : cuts) EXPECT_EQ(pieces_of(Pattern::gpt2, cut.text), cut.pieces) << cut.text;
}

TEST(Pieces, OfLlama3AndQwen) {
  const std::vector<Cut> cuts = {
      {"", {}},
      {"I love you", {"I", " love", " you"}},
      {"It's WE'LL 'Re", {"It", "'s", " WE", "'LL", " '", "Re"}},
      {"'\u017Fx 'TX", {"'\u017F", "x", " '", "TX"}},
      {"don'tx", {"don", "'t", "x"}},
      {"'r've", {"'r", "'ve"}},
      {"(word) \u00A0word\tword", {"(word", ")", " ", "\u00A0word", "\tword"}},
      {"!\n\n\r word", {"!\n\n\r", " word"}},
      {" !\nx", {" !\n", "x"}},
      {"x \n \n  y", {"x", " \n \n", " ", " y"}},
      {"x\n", {"x", "\n"}},
      {"x  \t", {"x", "  \t"}},
      {"a\u2028\u0085b", {"a", "\u2028", "\u0085b"}},
      {"e\u0301e", {"e", "\u0301e"}},
      {"\u0301\u0301e", {"\u0301\u0301", "e"}},
      {"我爱你", {"我爱你"}},
      {" \n", {" \n"}},
      {"  !", {" ", " !"}},
  };
  for (const Cut& cut : cuts) {
    EXPECT_EQ(pieces_of(Pattern::llama3, cut.text), cut.pieces) << cut.text;
    EXPECT_EQ(pieces_of(Pattern::qwen, cut.text), cut.pieces) << cut.text;
  }
  EXPECT_EQ(pieces_of(Pattern::llama3, "a 12345½ 6"), (Strings{"a", " ", "123", "45½", " ", "6"}));
  EXPECT_EQ(pieces_of(Pattern::qwen, "a 12½ 6"), (Strings{"a", " ", "1", "2", "½", " ", "6"}));
}

TEST(Pieces, StayWithinAnyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes;
    for (std::size_t left = 1 + random() % 6; left > 0; --left) bytes += static_cast<char>(random() & 0xFF);
    for (const Pattern pattern : patterns) {
      const std::size_t size = piece_size(pattern, bytes);
      EXPECT_TRUE(size >= 1 && size <= bytes.size());
    }
  }
}

// In ASCII the classes can be spelled out for std::regex.
std::regex ascii_regex(Pattern pattern) {
  const std::string letter = "[A-Za-z]", other = "[^\\s0-9A-Za-z]";
  if (pattern == Pattern::gpt2) {
    return std::regex("'s|'t|'re|'ve|'m|'ll|'d| ?" + letter + "+| ?[0-9]+| ?" + other + "+|\\s+(?!\\S)|\\s+");
  }
  const std::string numbers = pattern == Pattern::llama3 ? "[0-9]{1,3}" : "[0-9]";
  return std::regex("'[sStTmMdD]|'[rRvV][eE]|'[lL][lL]|[^\\r\\n0-9A-Za-z]?" + letter + "+|" + numbers + "| ?" + other +
                    "+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+");
}

std::string ascii_text(std::mt19937& random) {
  constexpr std::string_view characters = "sTrvEelLaM'' \t\n\r  !.0123\f";
  std::string text;
  for (std::size_t left = 1 + random() % 9; left > 0; --left) text += characters[random() % characters.size()];
  return text;
}

TEST(Pieces, AreWhatARegularExpressionMatches) {
  std::mt19937 random(11);
  for (const Pattern pattern : patterns) {
    const std::regex regex = ascii_regex(pattern);
    for (int round = 0; round < 5000; ++round) {
      const std::string text = ascii_text(random);
      std::smatch match;
      ASSERT_TRUE(std::regex_search(text, match, regex, std::regex_constants::match_continuous)) << text;
      ASSERT_EQ(piece_size(pattern, text), match[0].str().size()) << to_string(pattern) << testing::PrintToString(text);
    }
  }
}

TEST(Pieces, AreTheSameBeforeAnyTextOnceAllThatDecidesIsSeen) {
  std::mt19937 random(13);
  for (const Pattern pattern : patterns) {
    int decided = 0;
    for (int round = 0; round < 20000; ++round) {
      const std::string text = ascii_text(random), more = ascii_text(random);
      const posenc::io::Piece piece = posenc::io::first_piece(pattern, text);
      const std::size_t size = piece_size(pattern, text + more);
      if (piece.open) {
        ASSERT_GE(size + 1, piece.size) << testing::PrintToString(text + more);
      } else {
        ++decided;
        ASSERT_EQ(size, piece.size) << testing::PrintToString(text + more);
      }
    }
    EXPECT_GT(decided, 10000);
  }
}

TEST(Pieces, AskForNoMoreThanDecides) {
  const auto decided = [](Pattern pattern, std::string_view text) {
    std::size_t size = 1;
    while (size <= text.size() && posenc::io::first_piece(pattern, text.substr(0, size)).open) ++size;
    return size;
  };
  EXPECT_EQ(decided(Pattern::gpt2, "ab cd"), 3u);
  EXPECT_EQ(decided(Pattern::gpt2, "'s"), 2u);
  EXPECT_EQ(decided(Pattern::gpt2, "'re"), 3u);
  EXPECT_EQ(decided(Pattern::gpt2, "ab"), 3u);
  EXPECT_EQ(decided(Pattern::qwen, "1"), 1u);
  EXPECT_EQ(decided(Pattern::llama3, "12"), 3u);
  EXPECT_EQ(decided(Pattern::llama3, "123"), 3u);
  EXPECT_EQ(decided(Pattern::llama3, "\n  "), 4u);
  EXPECT_EQ(decided(Pattern::llama3, "\n  a"), 4u);
}

}  // namespace
