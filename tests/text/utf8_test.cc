// SPDX-License-Identifier: Apache-2.0
// Which texts Bpe::check_encode takes: valid UTF-8, and nothing else.
#include <posenc/text/bpe.h>

#include "tests/text/mixed_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using posenc::Problem;

const posenc::io::Bpe& bytes() {
  static const posenc::io::Bpe bpe = [] {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    return posenc::io::Bpe(tokens, {});
  }();
  return bpe;
}

// The offset of the first fault, -1 for none.
std::int64_t fault_of(std::string_view text) {
  const std::optional<Problem> problem = bytes().check_encode(text);
  return problem ? problem->index.at(0) : -1;
}

struct Case {
  std::string text;
  std::int64_t offset;
  std::string byte;
  std::string rule;
};

TEST(Utf8, InvalidTextIsRefusedWithTheByteAndItsOffset) {
  const std::string shortest = "the shortest form only", surrogates = "no surrogates";
  const std::string large = "nothing above U+10FFFF", lone = "a continuation byte follows a first byte";
  const std::string open = "continuation bytes complete a sequence";
  const std::string cut = "no sequence is cut short by the end of the text";
  const std::vector<Case> cases = {
      {"\x80", 0, "80", lone},
      {"a\xBF", 1, "BF", lone},
      {"我\x91", 3, "91", lone},
      {"\xC0\x80", 0, "C0", shortest},
      {"\xC1\xBF", 0, "C1", shortest},
      {"\xE0\x80\x80", 0, "E0", shortest},
      {"x\xE0\x9F\xBF", 1, "E0", shortest},
      {"\xF0\x80\x80\x80", 0, "F0", shortest},
      {"\xF0\x8F\xBF\xBF", 0, "F0", shortest},
      {"\xED\xA0\x80", 0, "ED", surrogates},
      {"\xED\xBF\xBF", 0, "ED", surrogates},
      {"ok \xED\xA0\x81\xED\xB0\x80", 3, "ED", surrogates},
      {"\xF4\x90\x80\x80", 0, "F4", large},
      {"\xF5\x80\x80\x80", 0, "F5", large},
      {"\xF8\x88\x80\x80\x80", 0, "F8", large},
      {"\xFC\x84\x80\x80\x80\x80", 0, "FC", large},
      {"\xFE", 0, "FE", large},
      {"12345678\xFF", 8, "FF", large},
      {"\xC3", 0, "C3", cut},
      {"abcdefghijk\xE2\x82", 11, "E2", cut},
      {"\xF0\x9F\x98", 0, "F0", cut},
      {"\xC3\x28", 0, "C3", open},
      {"\xE2\x28\xA1", 0, "E2", open},
      {"\xE2\x82\n", 0, "E2", open},
      {"\xF0\x28\x8C\xBC", 0, "F0", open},
      {"\xF0\x9F\x98\x28", 0, "F0", open},
      {"caf\xE9 au lait", 3, "E9", open},
      {std::string("\xFF\xFEh\0i\0", 6), 0, "FF", large},
      {std::string("a\0\x80", 3), 2, "80", lone},
  };
  for (const Case& one : cases) {
    const std::optional<Problem> problem = bytes().check_encode(one.text);
    ASSERT_TRUE(problem) << one.text;
    EXPECT_EQ(*problem,
              (Problem{"bpe_encode", "text must be valid UTF-8: " + one.rule, "byte \\x" + one.byte, {one.offset}}));
    EXPECT_THROW(bytes().encode(one.text), posenc::Error);
  }
}

// A sequence as one number, bytes from the left.
std::uint32_t packed(std::string_view sequence) {
  std::uint32_t number = 0;
  for (const char byte : sequence) number = (number << 8) | static_cast<unsigned char>(byte);
  return number;
}

// The forms of all scalar values, each packed, ascending. A first byte tells the length, so no two are equal.
const std::vector<std::uint32_t>& all_forms() {
  static const std::vector<std::uint32_t> forms = [] {
    std::vector<std::uint32_t> made;
    for (char32_t scalar = 0; scalar < 0x110000; ++scalar) {
      if (scalar < 0xD800 || scalar > 0xDFFF) made.push_back(packed(posenc::test::utf8_of(scalar)));
    }
    std::sort(made.begin(), made.end());
    return made;
  }();
  return forms;
}

bool is_form(std::string_view sequence) {
  return std::binary_search(all_forms().begin(), all_forms().end(), packed(sequence));
}

std::string text_of(std::initializer_list<unsigned> values) {
  std::string text;
  for (const unsigned value : values) text += static_cast<char>(static_cast<unsigned char>(value));
  return text;
}

TEST(Utf8, EveryTextOfTwoBytesIsJudgedByTheListOfAllForms) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text = text_of({first, second});
      const bool pair = first >= 0x80 && is_form(text);
      const std::int64_t expected = pair || (first < 0x80 && second < 0x80) ? -1 : first < 0x80 ? 1 : 0;
      EXPECT_EQ(fault_of(text), expected) << first << ' ' << second;
    }
  }
}

TEST(Utf8, EverySequenceOfThreeBytesIsJudgedByTheListOfAllForms) {
  for (unsigned first = 0xE0; first < 0xF0; ++first) {
    for (unsigned rest = 0; rest < 0x10000; ++rest) {
      const std::string text = text_of({first, rest >> 8, rest & 0xFF});
      ASSERT_EQ(fault_of(text), is_form(text) ? -1 : 0) << first << ' ' << rest;
    }
  }
}

TEST(Utf8, SequencesOfFourBytesAreJudgedByTheListOfAllForms) {
  const std::vector<unsigned> edges = {0x00, 0x41, 0x7F, 0x80, 0x9A, 0xBF, 0xC0, 0xE0, 0xF0, 0xFF};
  for (unsigned first = 0xF0; first < 0x100; ++first) {
    for (unsigned second = 0; second < 0x100; ++second) {
      for (const unsigned third : edges) {
        for (const unsigned fourth : edges) {
          const std::string text = text_of({first, second, third, fourth});
          ASSERT_EQ(fault_of(text), is_form(text) ? -1 : 0) << first << ' ' << second;
        }
      }
    }
  }
}

TEST(Utf8, EveryScalarValueIsTakenAtAnyOffset) {
  std::string text;
  for (char32_t scalar = 0; scalar < 0x110000; ++scalar) {
    if (scalar % 0x1000 == 0) text += ' ';  // so that no piece is too long
    if (scalar < 0xD800 || scalar > 0xDFFF) text += posenc::test::utf8_of(scalar);
  }
  EXPECT_EQ(text.size(), 4382864u);
  EXPECT_EQ(fault_of(text), -1);
  for (std::size_t offset = 1; offset < 12; ++offset) EXPECT_EQ(fault_of(std::string(offset, ' ') + text), -1);
  EXPECT_EQ(fault_of(text + "\x80"), 4382864);
}

}  // namespace
