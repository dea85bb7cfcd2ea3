// SPDX-License-Identifier: Apache-2.0
// Lines and columns of offsets, of unknown tokens and of errors, in one pass and in parts.
#include "src/text/unicode/line_column.h"

#include "tests/text/cut_text.h"

#include <gtest/gtest.h>

namespace {

using namespace posenc::io;
using posenc::test::encode_cut;
using posenc::test::encode_read;
using posenc::test::encode_whole;

std::pair<std::int64_t, std::int64_t> place(std::string_view text, std::size_t offset) {
  const TextPlace found = place_in(text, offset);
  return {found.line, found.column};
}

TEST(Places, CountLinesAndCodePointsFromOne) {
  const std::string_view text = "a我é\n\n👍x\r\ny";
  using Place = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(place(text, 0), Place(1, 1));
  EXPECT_EQ(place(text, 1), Place(1, 2));
  EXPECT_EQ(place(text, 4), Place(1, 3));
  EXPECT_EQ(place(text, 6), Place(1, 4));
  EXPECT_EQ(place(text, 7), Place(2, 1));
  EXPECT_EQ(place(text, 8), Place(3, 1));
  EXPECT_EQ(place(text, 12), Place(3, 2));
  EXPECT_EQ(place(text, 15), Place(4, 1));
  EXPECT_EQ(place(text, 16), Place(4, 2));
  EXPECT_EQ(place("", 0), Place(1, 1));
}

TEST(Places, OfAPartGoOnFromWhereItBegins) {
  const std::string text = "one 我\ntwo\n\nthree é four";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const TextPlace start = place_in(text, cut);
    for (std::size_t at = cut; at <= text.size(); ++at) {
      const TextPlace found = place_in(std::string_view(text).substr(cut), at - cut, start);
      EXPECT_EQ(std::pair(found.line, found.column), place(text, at)) << cut << ' ' << at;
    }
  }
}

TEST(Places, OfTheFirstUnknownTokenAreTheSameHoweverATextIsCut) {
  const Tokenizer words = Words(Vocabulary({"<unk>", "a", "é"}));
  const Tokenizer chars = Chars(Vocabulary({"<unk>", "a", "é", " ", "\n"}));
  const std::string text = "a é a\né a\n a é 我 a 我\na";
  const Unknowns expected = {2, "我", 18, 3, 6};
  for (const Tokenizer& tokenizer : {words, chars}) {
    EXPECT_EQ(encode_whole(tokenizer, text).unknowns, expected);
    for (std::size_t size = 1; size < 12; ++size) EXPECT_EQ(encode_cut(tokenizer, text, size).unknowns, expected);
    EXPECT_EQ(encode_read(tokenizer, text_source(text), 3).unknowns, expected);
  }
}

TEST(Places, OfAnUnknownTokenFarInATextAreThoseOfTheWhole) {
  const Tokenizer words = Words(Vocabulary({"<unk>", "a", "é"}));
  std::string text;
  for (int line = 0; line < 40000; ++line) text += "a é\n";
  std::string long_line;
  for (int word = 0; word < 50000; ++word) long_line += "é ";
  const auto offset = static_cast<std::int64_t>(text.size() + long_line.size());
  const Unknowns found = encode_read(words, text_source(text + long_line + "x a x"), 4096).unknowns;
  EXPECT_EQ(found, (Unknowns{2, "x", offset, 40001, 100001}));
}

TEST(Places, OfAnErrorAreInCodePoints) {
  const Tokenizer chars = Chars(Vocabulary({"a", "我", "\n"}));
  try {
    encode_read(chars, text_source("a\n我我x"), 10);
    ADD_FAILURE() << "taken";
  } catch (const posenc::Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "[chars_encode] a character outside the vocabulary needs <unk> in it, got 'x' in line 2, column 3 of "
              "'test' at [8]");
  }
}

}  // namespace
