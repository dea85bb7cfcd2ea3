// SPDX-License-Identifier: Apache-2.0
// Vocabularies as values, their files, and what is made from text.
#include <posenc/text/tokenizer.h>

#include "tests/text/mixed_text.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

using namespace posenc::io;
using posenc::Problem;
using Strings = std::vector<std::string>;

Strings tokens_of(const Vocabulary& vocabulary) {
  Strings tokens;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) tokens.emplace_back(vocabulary.token(id));
  return tokens;
}

void expect_problem(const Strings& tokens, const std::string& message) {
  const std::optional<Problem> problem = Vocabulary::check(tokens);
  ASSERT_TRUE(problem) << message;
  EXPECT_EQ(problem->message(), message);
  EXPECT_THROW(Vocabulary{tokens}, posenc::Error);
}

TEST(Vocabulary, FindsTokensByIdAndIdsByToken) {
  const Vocabulary vocabulary({"<pad>", "<unk>", "我", "a b", std::string(1, '\0')});
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.token(2), "我");
  EXPECT_EQ(vocabulary.id("a b"), 3);
  EXPECT_EQ(vocabulary.id(std::string_view("\0", 1)), 4);
  EXPECT_EQ(vocabulary.id("a"), std::nullopt);
  EXPECT_EQ(vocabulary.id(""), std::nullopt);
  EXPECT_EQ(vocabulary.unknown(), 1);
  EXPECT_EQ(Vocabulary({"a"}).unknown(), std::nullopt);
  EXPECT_EQ(vocabulary.check_token(5)->message(), "[vocabulary_token] a token id must be one of 0 to 4, got 5");
  EXPECT_THROW(vocabulary.token(-1), posenc::Error);
}

TEST(Vocabulary, ACopyOutlivesTheOriginal) {
  std::optional<Vocabulary> first(Vocabulary({"short", std::string(100, 'x')}));
  const Vocabulary copy = *first;
  first.reset();
  EXPECT_EQ(copy.id("short"), 0);
  EXPECT_EQ(copy.token(1), std::string(100, 'x'));
}

TEST(Vocabulary, KeepsManyTokensApart) {
  Strings tokens;
  for (int i = 0; i < 100003; ++i) tokens.push_back(std::to_string(i));
  const Vocabulary vocabulary(tokens);
  for (std::int32_t id = 0; id < 100003; id += 7) {
    ASSERT_EQ(vocabulary.id(tokens[static_cast<std::size_t>(id)]), id);
    ASSERT_EQ(vocabulary.token(id), tokens[static_cast<std::size_t>(id)]);
  }
  EXPECT_EQ(vocabulary.id("100003"), std::nullopt);
}

TEST(Vocabulary, RefusesWhatIsNone) {
  expect_problem({}, "[vocabulary] the number of tokens must be from 1 to 16777216, got 0");
  expect_problem({"a", ""}, "[vocabulary] a token must have at least one byte, got none at [1]");
  expect_problem({"a", "b", "a"}, "[vocabulary] tokens must differ, got 'a', which is token 0 at [2]");
  expect_problem({"a", "\xFF"}, "[vocabulary] text must be valid UTF-8: nothing above U+10FFFF, got byte \\xFF at [1]");
  expect_problem({std::string(65537, 'a')}, "[vocabulary] a token must have at most 65536 bytes, got 65537 at [0]");
  EXPECT_FALSE(Vocabulary::check({std::string(65536, 'a')}));
}

// ---- files --------------------------------------------------------------------------------------

TEST(VocabularyFile, HoldsOneTokenALine) {
  const Strings tokens = {"<pad>", "<unk>", "我", " ", "two words"};
  for (const std::string text :
       {"<pad>\n<unk>\n我\n \ntwo words\n", "<pad>\n<unk>\n我\n \ntwo words",
        "<pad>\r\n<unk>\r\n我\r\n \r\ntwo words\r\n", "<pad>\r\n<unk>\r\n我\r\n \r\ntwo words"}) {
    EXPECT_EQ(tokens_of(parse_vocabulary(text)), tokens) << text;
    EXPECT_FALSE(check_vocabulary(text));
  }
}

const std::string escapes = "# tokens with escapes: \\n \\t \\r \\\\ \\xNN\n";  // the first line

TEST(VocabularyFile, TakesEveryLineToTheByte) {
  const Strings tokens = {"\\", "\\\\", "##\\", "\\n", "\\text", "\\x41", "A", "a\\", "\u0085", "\u2028", "a\uFEFF"};
  std::string bytes;
  for (const std::string& token : tokens) bytes += token + "\n";
  EXPECT_EQ(tokens_of(parse_vocabulary(bytes)), tokens);
  // In its second line the line that announces escapes is a token.
  EXPECT_EQ(tokens_of(parse_vocabulary("a\n" + escapes)), (Strings{"a", escapes.substr(0, escapes.size() - 1)}));
}

TEST(VocabularyFile, HasEscapesOnlyWhereATokenNeedsThem) {
  const Strings plain = {"<pad>", "\\", "\\n", "é", "a b"};
  EXPECT_EQ(vocabulary_bytes(Vocabulary(plain)), "<pad>\n\\\n\\n\né\na b\n");
  EXPECT_EQ(vocabulary_bytes(Vocabulary({"\\", "\n"})), escapes + "\\\\\n\\n\n");
}

TEST(VocabularyFile, ComesBackWhateverItBeginsWith) {
  for (const std::string& first : {escapes.substr(0, escapes.size() - 1), std::string("%PDF-1"), std::string("<html>"),
                                   std::string("PK\x03\x04"), std::string("\uFEFFa"), std::string("a\0\n", 3)}) {
    const Strings tokens = {first, "\\", "b"};
    EXPECT_EQ(tokens_of(parse_vocabulary(vocabulary_bytes(Vocabulary(tokens)))), tokens) << first;
  }
}

TEST(VocabularyFile, EscapesWhatALineCannotHold) {
  const Strings tokens = {"\n",   "\r\n",   "\t",     "\\",     "\\n",  std::string("a\0b", 3),
                          "\x7F", "\u0085", "\u2028", "\uFEFF", "我\n", "\x1B[0m",
                          "é",    "\u00A0", " "};
  const std::string bytes = vocabulary_bytes(Vocabulary(tokens));
  EXPECT_EQ(bytes,
            escapes +
                "\\n\n\\r\\n\n\\t\n\\\\\n\\\\n\na\\x00b\n\\x7F\n\\xC2\\x85\n\\xE2\\x80\\xA8\n\\xEF\\xBB\\xBF\n我\\n\n"
                "\\x1B[0m\né\n\u00A0\n \n");
  EXPECT_EQ(tokens_of(parse_vocabulary(bytes)), tokens);
  EXPECT_EQ(tokens_of(parse_vocabulary(escapes + "\\xe6\\x88\\x91\n\\x41B")), (Strings{"我", "AB"}));
  EXPECT_EQ(tokens_of(parse_vocabulary(escapes.substr(0, escapes.size() - 1) + "\r\n\\x41B\r\n")), (Strings{"AB"}));
}

TEST(VocabularyFile, EveryScalarValueComesBack) {
  Strings tokens;
  for (char32_t scalar = 0; scalar < 0x110000; scalar += scalar < 0x3000 ? 1 : 61) {
    if (scalar < 0xD800 || scalar > 0xDFFF) tokens.push_back(posenc::test::utf8_of(scalar));
  }
  const Vocabulary vocabulary(tokens);
  EXPECT_EQ(tokens_of(parse_vocabulary(vocabulary_bytes(vocabulary))), tokens);
}

struct RefusedVocabulary {
  std::string id;  // of the catalogue of bad inputs
  std::string bytes;
  std::string rule;
  std::string value;
  std::int64_t offset;
};

TEST(VocabularyFile, RefusesBadOnesWithLineAndOffset) {
  using namespace std::string_literals;
  const std::string list = "a vocabulary must be text in UTF-8, one token a line";
  const std::string empty = "a line must hold a token", ends = "lines must end in LF, or all in CRLF";
  const std::string control = "a control character must be escaped, below the line that says so";
  const auto below = static_cast<std::int64_t>(escapes.size());
  const std::string escape = "a backslash must begin \\n, \\t, \\r, \\\\ or \\xNN";
  const std::string utf8 = "text must be valid UTF-8: ";
  std::string ninety;
  for (int line = 1; line < 90; ++line) ninety += "token" + std::to_string(line) + "\n";
  const std::vector<RefusedVocabulary> rows = {
      {"T41", "", "a vocabulary must have at least one token", "none in line 1, column 1", 0},
      {"T42", "a\nb\nc\nd\ne\nf\n\ng\n", empty, "none in line 7, column 1", 12},
      {"T42", "\r\na\r\n", empty, "none in line 1, column 1", 0},
      {"T43", "a\nb\n\n\n", empty, "none in line 3, column 1", 4},
      {"T44", ninety + "token12\n", "tokens must differ", "'token12', the token of line 12, in line 90, column 1",
       static_cast<std::int64_t>(ninety.size())},
      {"T44", escapes + "A\n\\x41\n", "tokens must differ", "'A', the token of line 2, in line 3, column 1", below + 2},
      {"T46", "a\nb\t\n", control, "byte \\x09 in line 2, column 2", 3},
      {"T47", "1\n2\n3\n4\n5\n6\n7\x80\n", utf8 + "a continuation byte follows a first byte",
       "byte \\x80 in line 7, column 2", 13},
      {"T47", escapes + "a\n\\xFF\n", utf8 + "nothing above U+10FFFF", "byte \\xFF by an escape in line 3, column 1",
       below + 2},
      {"T48", "ab\nc\0d\n"s, control, "byte \\x00 in line 2, column 2", 4},
      {"T49", "a\n" + std::string(65537, 'x') + "\n", "a token must have at most 65536 bytes",
       "65537 in line 2, column 1", 2},
      {"T51", "a\nb\r\n", ends, "CRLF after LF in line 2, column 3", 4},
      {"T51", "a\r\nb\n", ends, "LF after CRLF in line 2, column 2", 4},
      {"T52", "a\rb\r", ends, "a carriage return alone in line 1, column 2", 1},
      {"T52", "a\nb\r", ends, "a carriage return alone in line 2, column 2", 3},
      {"T53",
       "\xFF\xFE"
       "a\0\n\0"s,
       list, "what begins like UTF-16 in line 1, column 1", 0},
      {"T53", "a\0\n\0"s, list, "what begins like UTF-16 in line 1, column 1", 0},
      {"T53", "\0\0\0a\0\0\0\n"s, list, "what begins like UTF-32 in line 1, column 1", 0},
      {"T60", "\x1F\x8B\x08", list, "what begins like gzip in line 1, column 1", 0},
      {"T83", "\x80\x04\x95", list, "what begins like a pickle in line 1, column 1", 0},
      {"T84", "\x93NUMPY\x01", list, "what begins like npy in line 1, column 1", 0},
      {"T85", "<!DOCTYPE html>\n<html>\n", list, "what begins like HTML in line 1, column 1", 0},
      {"T85", "<HTML>", list, "what begins like HTML in line 1, column 1", 0},
      {"PNG", "\x89PNG\r\n\x1A\n", list, "what begins like PNG in line 1, column 1", 0},
      {"PDF", "%PDF-1.7\n", list, "what begins like PDF in line 1, column 1", 0},
      {"mark",
       "\xEF\xBB\xBF"
       "a\n",
       list, "a byte order mark in line 1, column 1", 0},
      {"T41", escapes, "a vocabulary must have at least one token", "none in line 2, column 1", below},
      {"T42", escapes + "a\n\n", empty, "none in line 3, column 1", below + 2},
      {"T46", escapes + "b\t\n", control, "byte \\x09 in line 2, column 2", below + 1},
      {"T51", escapes + "b\r\n", ends, "CRLF after LF in line 2, column 3", below + 2},
      {"escape", escapes + "a\nb\\q\n", escape, "'\\q' in line 3, column 2", below + 3},
      {"escape", escapes + "a\\", escape, "'\\' in line 2, column 2", below + 1},
      {"escape", escapes + "\\x4\n", escape, "'\\x4' in line 2, column 1", below},
      {"escape", escapes + "\\xG0\n", escape, "'\\xG0' in line 2, column 1", below},
  };
  for (const RefusedVocabulary& row : rows) {
    const std::optional<Problem> problem = check_vocabulary(row.bytes, "v.txt");
    ASSERT_TRUE(problem) << row.id;
    EXPECT_EQ(*problem, (Problem{"read_vocabulary", row.rule, row.value + " of 'v.txt'", {row.offset}})) << row.id;
    EXPECT_LE(problem->message().size(), 280u) << row.id;
    EXPECT_THROW(parse_vocabulary(row.bytes), posenc::Error) << row.id;
  }
}

TEST(VocabularyFile, TakesWhatOnlyLooksOdd) {
  for (const std::string text : {"<html5>", "%PDF", "PK", "{\"a\":1}", "ab\n", "a\n\\x00", "a\\"}) {
    EXPECT_FALSE(check_vocabulary(text)) << text;
  }
}

// T50: one more than the limit.
TEST(VocabularyFileExhaustive, RefusesMoreTokensThanTheLimit) {
  std::string bytes;
  char token[] = "aaaaa\n";
  for (std::int32_t i = 0; i <= vocabulary_token_limit; ++i) {
    for (int digit = 0, rest = i; digit < 5; ++digit, rest >>= 5) token[digit] = static_cast<char>('0' + (rest & 31));
    bytes.append(token, 6);
  }
  EXPECT_EQ(check_vocabulary(bytes)->message(),
            "[read_vocabulary] a vocabulary must have at most 16777216 tokens, got more in line 16777217, column 1 of "
            "'vocabulary' at [100663296]");
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "posenc_vocabulary_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

TEST(VocabularyFile, IsSavedAndReadBack) {
  const Folder folder;
  const Strings tokens = {"<pad>", "我", "\n", "\\"};
  save_vocabulary(folder / "v.txt", Vocabulary(tokens));
  EXPECT_EQ(tokens_of(read_vocabulary(folder / "v.txt")), tokens);
  std::ofstream(folder / "bad.txt") << "a\na\n";
  try {
    read_vocabulary(folder / "bad.txt");
    ADD_FAILURE();
  } catch (const posenc::Error& error) {
    EXPECT_NE(std::string(error.what()).find("bad.txt"), std::string::npos) << error.what();
  }
  EXPECT_THROW(read_vocabulary(folder / "missing.txt"), posenc::Error);  // T57
  EXPECT_THROW(read_vocabulary(folder / "."), posenc::Error);            // T55
}

// T59, without a gigabyte of disk.
TEST(VocabularyFile, OfMoreThanAGibibyteIsNotRead) {
  const Folder folder;
  std::ofstream(folder / "v.txt") << "a";
  std::filesystem::resize_file(folder / "v.txt", vocabulary_byte_limit + 1);
  try {
    read_vocabulary(folder / "v.txt");
    ADD_FAILURE();
  } catch (const posenc::Error& error) {
    EXPECT_NE(std::string(error.what()).find("at most 1073741824 bytes"), std::string::npos) << error.what();
  }
}

// ---- from text ----------------------------------------------------------------------------------

TEST(BuildVocabulary, CountsCharactersAndPutsTheFrequentFirst) {
  EXPECT_EQ(tokens_of(build_vocabulary(Unit::character, text_source("cab\nba b"), "test")),
            (Strings{"<pad>", "<unk>", "<bos>", "<eos>", "b", "a", "c", "\n", " "}));
  EXPECT_EQ(tokens_of(build_vocabulary(Unit::character, text_source("e\u0301éê"), "test")),
            (Strings{"<pad>", "<unk>", "<bos>", "<eos>", "é", "ê"}));
}

TEST(BuildVocabulary, CountsWordsAndKnowsSpecialTokens) {
  EXPECT_EQ(tokens_of(build_vocabulary(Unit::word, text_source("you love me  and\tI love you <unk> <s>\n"), "test")),
            (Strings{"<pad>", "<unk>", "<bos>", "<eos>", "you", "love", "me", "and", "I", "<s>"}));
  EXPECT_EQ(build_vocabulary(Unit::word, text_source(""), "test").size(), 4);
}

TEST(BuildVocabulary, LeavesNothingUnknown) {
  const std::string text = posenc::test::mixed_text(3, 300000);
  for (const Tokenizer& tokenizer : {Tokenizer(Chars(build_vocabulary(Unit::character, text_source(text), "test"))),
                                     Tokenizer(Words(build_vocabulary(Unit::word, text_source(text), "test")))}) {
    TokenReader reader(tokenizer, text_source(text), "test");
    std::vector<std::int32_t> ids(text.size());
    EXPECT_GT(reader.read(ids), 10000u);
    EXPECT_EQ(reader.unknowns().count, 0);
  }
}

TEST(BuildVocabulary, RefusesEnumeratorsThatAreNone) {
  const auto message_of = [](Unit unit, Formats formats) -> std::string {
    try {
      build_vocabulary(unit, text_source("a"), "t", formats);
      return "nothing";
    } catch (const posenc::Error& error) {
      return error.what();
    }
  };
  for (const auto none : {0, 77}) {
    EXPECT_EQ(message_of(static_cast<Unit>(none), Formats::any),
              "[build_vocabulary] the unit must be stated, got " + std::to_string(none));
    EXPECT_EQ(message_of(Unit::word, static_cast<Formats>(none)), "[read_tokens] formats must be stated, got none");
  }
}

TEST(BuildVocabulary, PlacesWhatIsWrong) {
  const auto message_of = [](Unit unit, std::string text) -> std::string {
    try {
      build_vocabulary(unit, text_source(std::move(text)), "t");
      return "nothing";
    } catch (const posenc::Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(
      message_of(Unit::word, "a\nb \xFF"),
      "[build_vocabulary] text must be valid UTF-8: nothing above U+10FFFF, got byte \\xFF in line 2, column 3 of "
      "'t' at [4]");
  EXPECT_EQ(message_of(Unit::word, "a " + std::string(65537, 'w')),
            "[build_vocabulary] a token must have at most 65536 bytes, got 65537 in line 1, column 3 of 't' at [2]");
  EXPECT_EQ(message_of(Unit{}, "a"), "[build_vocabulary] the unit must be stated, got 0");
  EXPECT_EQ(
      message_of(Unit::character, "%PDF-1.4"),
      "[read_tokens] the source must be text in UTF-8, got what begins like PDF in line 1, column 1 of 't' at [0]");
}

}  // namespace
