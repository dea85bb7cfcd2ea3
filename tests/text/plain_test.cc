// SPDX-License-Identifier: Apache-2.0
// Bytes, characters, words and numbers as tokens: what they give, what they refuse, and what they leave over.
#include "tests/text/cut_text.h"
#include "tests/text/mixed_text.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <chrono>
#include <random>

namespace {

using namespace posenc::io;
using posenc::Problem;
using posenc::test::encode_cut;
using posenc::test::encode_whole;
using posenc::test::utf8_of;
using Ids32 = std::vector<std::int32_t>;
using Strings = std::vector<std::string>;

Vocabulary characters_of(const std::string& text) {
  return build_vocabulary(Unit::character, text_source(text), "test");
}

Strings tokens_of(const Tokenizer& tokenizer, std::string_view text) {
  Strings tokens;
  for (const std::int32_t id : encode_whole(tokenizer, text).ids) tokens.push_back(token(tokenizer, id));
  return tokens;
}

std::string joined(const Strings& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += token;
  return text;
}

// NFC through the characters of a vocabulary that has them all.
std::string nfc_by_chars(const std::string& text) { return joined(tokens_of(Chars(characters_of(text)), text)); }

std::string nfc_by_utf8proc(const std::string& text) {
  utf8proc_uint8_t* made = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &made, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  std::string normal(reinterpret_cast<char*>(made), static_cast<std::size_t>(size));
  std::free(made);
  return normal;
}

void expect_refused(const Tokenizer& tokenizer, std::string_view text, const std::string& message) {
  Ids32 ids = {7};
  Unknowns unknowns;
  try {
    encode_prefix(tokenizer, text, Rest::none, ids, unknowns);
    ADD_FAILURE() << "taken: " << text;
  } catch (const posenc::Error& error) {
    EXPECT_EQ(error.what(), message);
  }
  EXPECT_EQ(ids, (Ids32{7})) << text;
  EXPECT_EQ(unknowns, Unknowns{}) << text;
}

// ---- bytes --------------------------------------------------------------------------------------

TEST(Bytes, AreTheValuesOfAllBytes) {
  std::string text;
  Ids32 expected;
  for (int byte = 0; byte < 256; ++byte) {
    text += static_cast<char>(byte);
    expected.push_back(byte);
  }
  EXPECT_EQ(encode_whole(Bytes(), text).ids, expected);
  EXPECT_EQ(encode_whole(Bytes(), "").ids, Ids32{});
  EXPECT_EQ(Bytes().token(0xE6), "\xE6");
  EXPECT_THROW(Bytes().token(256), posenc::Error);
  EXPECT_THROW(Bytes().token(-1), posenc::Error);
}

// ---- characters ---------------------------------------------------------------------------------

TEST(Chars, AreTheCodePointsByTheVocabulary) {
  const Tokenizer chars = Chars(Vocabulary({"<pad>", "<unk>", "我", "爱", "你", std::string(1, '\0'), " "}));
  EXPECT_EQ(encode_whole(chars, "我爱你").ids, (Ids32{2, 3, 4}));
  EXPECT_EQ(encode_whole(chars, "").ids, Ids32{});
  EXPECT_EQ(encode_whole(chars, std::string_view("\0 \0", 3)).ids, (Ids32{5, 6, 5}));
  EXPECT_EQ(size(chars), 7);
  EXPECT_EQ(token(chars, 3), "爱");
}

TEST(Chars, CountsWhatTheVocabularyLacks) {
  const Tokenizer chars = Chars(Vocabulary({"a", "<unk>"}));
  const posenc::test::Encoded encoded = encode_whole(chars, "aa爱a我<unk>");
  EXPECT_EQ(encoded.ids, (Ids32{0, 0, 1, 0, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(encoded.unknowns, (Unknowns{7, "爱", 2, 1, 3}));
}

TEST(Chars, RefusesWhatTheVocabularyLacksWithoutUnk) {
  expect_refused(Chars(Vocabulary({"a", "b"})), "abxa",
                 "[chars_encode] a character outside the vocabulary needs <unk> in it, got 'x' at [2]");
}

TEST(Chars, WithTheirMarksAreAtMostHalfAMebibyte) {
  const Chars chars(Vocabulary({"<unk>"}));
  std::string text = "ba";
  while (text.size() < piece_limit) text += "\u0301";
  EXPECT_EQ(encode_whole(chars, text).ids.size(), (piece_limit - 2) / 2 + 1);
  text += "\u0301";
  const std::string wrong = "[chars_encode] a character and its marks must have at most 524288 bytes, got more at [1]";
  expect_refused(chars, text, wrong);
  expect_refused(chars, text + "b", wrong);
  EXPECT_THROW(build_vocabulary(Unit::character, text_source(text), "t"), posenc::Error);
  Ids32 ids;
  EXPECT_THROW(chars.encode_prefix(text, Rest::follows, ids), posenc::Error);
}

TEST(Chars, RefusesAVocabularyOfWords) {
  EXPECT_FALSE(Chars::check(Vocabulary({"<mask>", "\xCC\x81", "a"})));
  const Vocabulary words({"a", "the"});
  EXPECT_EQ(Chars::check(words)->message(),
            "[chars] a token must be one character, or a name in < and >, got 'the' at [1]");
  EXPECT_THROW(Chars{words}, posenc::Error);
}

struct Normal {
  std::string text;
  Strings characters;
};

TEST(Chars, AreInNormalizationFormC) {
  const std::vector<Normal> cases = {
      {"e\u0301", {"é"}},
      {"e\u0323\u0302", {"ệ"}},
      {"e\u0302\u0323", {"ệ"}},
      {"\u0301e", {"\u0301", "e"}},
      {"\u212B\u2126", {"Å", "Ω"}},
      {"\u0958", {"\u0915", "\u093C"}},
      {"\u1100\u1161\u11A8", {"각"}},
      {"\uAC00\u11A8", {"각"}},
      {"\uAC00\u11A7", {"가", "\u11A7"}},
      {"\u1100\u1100\u1161", {"\u1100", "가"}},
      {"\uAC01\u11A8", {"각", "\u11A8"}},
      {"\u09C7\u09BE", {"\u09CB"}},
      {"\u0344", {"\u0308", "\u0301"}},
      {"a\u0344", {"ä", "\u0301"}},
      {"\U0001D15E", {"\U0001D157", "\U0001D165"}},
      {"q\u0307\u0323", {"q", "\u0323", "\u0307"}},
      {"\uFB01\uFF21", {"\uFB01", "\uFF21"}},
  };
  for (const Normal& one : cases) {
    const Tokenizer chars = Chars(characters_of(one.text));
    EXPECT_EQ(tokens_of(chars, one.text), one.characters) << one.text;
    for (std::size_t cut = 1; cut <= one.text.size(); ++cut) {
      EXPECT_EQ(encode_cut(chars, one.text, cut), encode_whole(chars, one.text)) << one.text << ' ' << cut;
    }
  }
}

// Where a run may end is told by categories here, and in Unicode by the composites: every second of a composite, and
// every scalar whose decomposition begins with one, must not begin a run.
TEST(Chars, NoScalarThatComposesWithWhatPrecedesIsCutOff) {
  int composites = 0;
  for (utf8proc_int32_t scalar = 0; scalar < 0x110000; ++scalar) {
    if ((scalar >= 0xD800 && scalar <= 0xDFFF) || (scalar >= 0xAC00 && scalar <= 0xD7A3 && scalar % 97 != 0)) continue;
    const std::string composed = utf8_of(static_cast<char32_t>(scalar));
    utf8proc_uint8_t* parts = utf8proc_NFD(reinterpret_cast<const utf8proc_uint8_t*>(composed.c_str()));
    const std::string decomposed(reinterpret_cast<char*>(parts));
    std::free(parts);
    if (decomposed == composed || scalar == 0) continue;
    ++composites;
    const Tokenizer chars = Chars(characters_of(decomposed));
    EXPECT_EQ(joined(tokens_of(chars, decomposed)), nfc_by_utf8proc(decomposed)) << scalar;
    EXPECT_EQ(encode_cut(chars, decomposed, 1), encode_whole(chars, decomposed)) << scalar;
  }
  EXPECT_GT(composites, 2000);
}

// Letters, marks of many classes, Jamo and syllables in any order.
std::string hard_text(std::mt19937& random, std::size_t length) {
  static const std::vector<char32_t> scalars = {
      'a',   'e',    'o',    ' ',    0xE9,   0x1EC7, 0x300,  0x301,  0x302,  0x308,   0x323,   0x327,  0x31B, 0x345,
      0x344, 0x1100, 0x1112, 0x1161, 0x1175, 0x11A8, 0x11C2, 0xAC00, 0xAC01, 0xD7A3,  0x915,   0x93C,  0x958, 0x9C7,
      0x9BE, 0x9D7,  0x212B, 0x3042, 0x3099, 0x4E2D, 0xDDD,  0xDD9,  0xDCA,  0x1D157, 0x1D165, 0x11099};
  std::string text;
  for (; length > 0; --length) text += utf8_of(scalars[random() % scalars.size()]);
  return text;
}

TEST(Chars, RunByRunIsTheNormalFormOfTheWhole) {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    const std::string text = hard_text(random, 1 + random() % 30);
    ASSERT_EQ(nfc_by_chars(text), nfc_by_utf8proc(text)) << text;
  }
  const std::string mixed = posenc::test::mixed_text(11, 100000);
  EXPECT_TRUE(nfc_by_chars(mixed) == nfc_by_utf8proc(mixed));
}

TEST(Chars, AnyCutGivesTheSameIds) {
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    const std::string text = hard_text(random, 40);
    const Tokenizer chars = Chars(Vocabulary({"é", "<unk>", "각", "a", "\u0301", " "}));
    for (const std::size_t cut : {1, 2, 3, 5, 7, 13}) {
      ASSERT_EQ(encode_cut(chars, text, cut), encode_whole(chars, text)) << text << ' ' << cut;
    }
  }
}

// Sorting them one by one would take 10^10 steps.
TEST(Chars, ALongRowOfMarksIsNoTrap) {
  std::string text = "a";
  for (int i = 0; i < 100000; ++i) text += "\u0301\u0323";
  const Tokenizer chars = Chars(Vocabulary({"<unk>", "ạ", "\u0301", "\u0323"}));
  const Ids32 ids = encode_whole(chars, text).ids;
  ASSERT_EQ(ids.size(), 200000u);
  EXPECT_EQ(ids[0], 1);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 3), 99999);
  EXPECT_EQ(ids[99999], 3);
  EXPECT_EQ(ids[100000], 2);
}

// ---- words --------------------------------------------------------------------------------------

TEST(Words, StandBetweenWhiteSpace) {
  const Tokenizer words = Words(Vocabulary({"<unk>", "I", "love", "you", "a\u200Bb"}));
  const std::string text = "I\tlove\u00A0you\u3000a\u200Bb \u2028\r\n\u0085I";
  const Ids32 expected = {1, 2, 3, 4, 1};
  EXPECT_EQ(encode_whole(words, text).ids, expected);
  EXPECT_EQ(encode_whole(words, " \n" + text + " ").ids, expected);
  EXPECT_EQ(encode_whole(words, "").ids, Ids32{});
  EXPECT_EQ(encode_whole(words, " \n\t ").ids, Ids32{});
}

// The property White_Space of Unicode 15.0, PropList.txt.
TEST(Words, EndAtTheTwentyFiveWhiteSpaces) {
  const Tokenizer words = Words(Vocabulary({"a", "<unk>"}));
  std::vector<char32_t> found;
  for (char32_t scalar = 0; scalar < 0x110000; ++scalar) {
    if (scalar >= 0xD800 && scalar <= 0xDFFF) continue;
    if (encode_whole(words, "a" + utf8_of(scalar) + "a").ids == Ids32{0, 0}) found.push_back(scalar);
  }
  EXPECT_EQ(found, (std::vector<char32_t>{0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,   0xA0,   0x1680,
                                          0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                          0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}));
}

TEST(Words, CountsWhatTheVocabularyLacksAndKnowsSpecialTokens) {
  const Tokenizer words = Words(Vocabulary({"<pad>", "<unk>", "<bos>", "<eos>", "the"}));
  const posenc::test::Encoded encoded = encode_whole(words, "<bos> the dog <unk> bites");
  EXPECT_EQ(encoded.ids, (Ids32{2, 4, 1, 1, 1}));
  EXPECT_EQ(encoded.unknowns, (Unknowns{2, "dog", 10, 1, 11}));
}

TEST(Words, RefusesWhatTheVocabularyLacksWithoutUnk) {
  expect_refused(Words(Vocabulary({"the"})), "the  dog",
                 "[words_encode] a word outside the vocabulary needs <unk> in it, got 'dog' at [5]");
  const Vocabulary spaced({"the", "two words"});
  EXPECT_EQ(Words::check(spaced)->message(), "[words] a word must have no white space, got 'two words' at [1]");
  EXPECT_THROW(Words{spaced}, posenc::Error);
}

TEST(Words, AreNotNormalized) {
  const Tokenizer words = Words(Vocabulary({"é", "e\u0301"}));
  EXPECT_EQ(encode_whole(words, "e\u0301 é").ids, (Ids32{1, 0}));
}

// ---- numbers ------------------------------------------------------------------------------------

TEST(Ids, AreTheNumbersInTheText) {
  const Tokenizer ids = posenc::io::Ids(1000);
  const Ids32 expected = {0, 7, 999, 12};
  for (const std::string text : {"0 7 999 12", "0,7,999,12", "0\n7\n999\n12\n", "0\r\n7\r\n999\r\n12\r\n",
                                 "  0 ,7,\n999\t \n,  12 ", "0, 7, 999, 12"}) {
    EXPECT_EQ(encode_whole(ids, text).ids, expected) << text;
    for (std::size_t cut = 1; cut <= text.size(); ++cut) {
      EXPECT_EQ(encode_cut(ids, text, cut), encode_whole(ids, text)) << text << ' ' << cut;
    }
  }
  EXPECT_EQ(encode_whole(ids, "").ids, Ids32{});
  EXPECT_EQ(encode_whole(ids, " \r\n").ids, Ids32{});
  EXPECT_EQ(encode_whole(posenc::io::Ids(0x7FFFFFFF), "2147483646").ids, (Ids32{2147483646}));
  EXPECT_EQ(token(ids, 42), "42");
  EXPECT_THROW(token(ids, 1000), posenc::Error);
  EXPECT_EQ(posenc::io::Ids::check(0)->message(), "[ids] the number of ids must be at least 1, got 0");
}

TEST(Ids, RefusesEverythingElse) {
  const std::string plain =
      "[ids_encode] ids must be plain decimal numbers with blanks, commas or newlines between them, got ";
  const std::string range = "[ids_encode] a token id must be one of 0 to 255, got ";
  const std::string comma = "[ids_encode] a comma must stand between two ids, got one that does not at ";
  const std::string end = "[ids_encode] a carriage return must end a line, got one without \\n at ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"5 -1", range + "'-1' at [2]"},                                    // I02
      {"256", range + "'256' at [0]"},                                    // I03
      {"1 1256", range + "'1256' at [2]"},                                // I04
      {"2147483648", range + "'2147483648' at [0]"},                      // I05
      {"4294967296", range + "'4294967296' at [0]"},                      // I06
      {"4294967301", range + "'4294967301' at [0]"},                      // I07
      {"9223372036854775807", range + "'9223372036854775807' at [0]"},    // I08
      {"-9223372036854775808", range + "'-9223372036854775808' at [0]"},  // I09
      {"1 2 x", plain + "'x' at [4]"},                                    // I28
      {"1,2,,3", comma + "[4]"},                                          // I29
      {",1", comma + "[0]"},
      {"1, 2 ,", comma + "[5]"},
      {"1;2", plain + "'1;2' at [0]"},      // I30
      {"1.0 2", plain + "'1.0' at [0]"},    // I31
      {"1e2", plain + "'1e2' at [0]"},      // I32
      {"0x10", plain + "'0x10' at [0]"},    // I33
      {"007", plain + "'007' at [0]"},      // I34
      {"+5", plain + "'+5' at [0]"},        // I35
      {"1_000", plain + "'1_000' at [0]"},  // I36
      {"--5", plain + "'--5' at [0]"},      // I37
      {"5 -", plain + "'-' at [2]"},        // I38
      {"-0", plain + "'-0' at [0]"},
      {"99999999999999999999999", range + "'99999999999999999999999' at [0]"},  // I39
      {std::string("1 \0 2", 5), plain + "'\\x00' at [2]"},                     // I40
      {"1 \xFF", plain + "'\\xFF' at [2]"},                                     // I41
      {"1\r2\r", end + "[1]"},                                                  // I42
      {"1 2\r", end + "[3]"},
      {"1\t# one", plain + "'#' at [2]"},  // I43
  };
  for (const auto& [text, message] : cases) {
    expect_refused(posenc::io::Ids(256), text, message);
    EXPECT_THROW(encode_cut(posenc::io::Ids(256), text, 1), posenc::Error) << text;
  }
}

// ---- invalid UTF-8 ------------------------------------------------------------------------------

TEST(Utf8, IsAskedOfCharactersAndWordsAndNotOfBytes) {
  for (const std::string text : {"a \xFF", "a \xC3", "a \xE2\x82\n", "a \xED\xA0\x80"}) {
    for (const Tokenizer& tokenizer : {Tokenizer(Chars(Vocabulary({"a", " "}))), Tokenizer(Words(Vocabulary({"a"})))}) {
      Ids32 ids;
      Unknowns unknowns;
      try {
        encode_prefix(tokenizer, text, Rest::none, ids, unknowns);
        ADD_FAILURE() << text;
      } catch (const posenc::Error& error) {
        EXPECT_EQ(error.problem().index, (std::vector<std::int64_t>{2}));
        EXPECT_TRUE(error.problem().rule.starts_with("text must be valid UTF-8: ")) << error.what();
      }
      EXPECT_TRUE(ids.empty());
      EXPECT_THROW(encode_cut(tokenizer, text, 1), posenc::Error);
    }
    EXPECT_EQ(encode_whole(Bytes(), text).ids.size(), text.size());
  }
}

TEST(Utf8, ACharacterThatIsCutShortIsLeftOver) {
  const std::string text = "我爱你";
  for (const Tokenizer& tokenizer :
       {Tokenizer(Chars(Vocabulary({"我", "爱", "你"}))), Tokenizer(Words(Vocabulary({text})))}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      Ids32 ids;
      Unknowns unknowns;
      const std::size_t used = encode_prefix(tokenizer, text.substr(0, size), Rest::follows, ids, unknowns);
      EXPECT_EQ(used % 3, 0u);
      EXPECT_LE(used, size);
    }
  }
}

}  // namespace
