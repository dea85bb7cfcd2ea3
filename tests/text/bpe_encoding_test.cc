// SPDX-License-Identifier: Apache-2.0
// Long pieces: the same ids in one pass and in chunks, and their limit.
#include "tests/text/small_bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace {

using posenc::io::Bpe;
using posenc::io::Pattern;
using posenc::io::piece_limit;
using posenc::io::Rest;
using posenc::test::all_bytes;
using posenc::test::paired_parts;
using posenc::test::parts_of;
using Strings = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

// In chunks of about `chunk` bytes.
Ids in_chunks(const Bpe& bpe, std::string_view text, std::size_t chunk) {
  Ids ids;
  std::size_t done = 0, end = 0, most = 0;
  while (end < text.size()) {
    end = std::min(text.size(), std::max(end, done + most) + chunk);
    const Rest rest = end == text.size() ? Rest::none : Rest::follows;
    done += bpe.encode_prefix(text.substr(done, end - done), rest, ids);
    most = std::max(most, end - done);
  }
  EXPECT_EQ(done, text.size());
  return ids;
}

TEST(BpeLongPiece, OfEveryPatternEndsWhereItDoes) {
  constexpr std::size_t size = 70000;
  std::mt19937 random(20250902);
  for (const Pattern pattern : {Pattern::gpt2, Pattern::llama3, Pattern::qwen}) {
    Bpe::Parts parts = paired_parts("ab1!\n ");
    parts.pattern = pattern;
    parts.normalization = Bpe::Normalization::nfc;
    const Bpe bpe(parts);
    for (const std::string_view run : {"ab", "1", "!", " ", "\n", " \n", "我"}) {
      for (const std::string_view end : {"", " b", "\n", "'s", "e\u0301"}) {
        std::string text = "a ", small = text;
        while (text.size() < size) text += run;
        while (small.size() < 200 || small.size() % 6 != text.size() % 6) small += run;  // 6: numbers of llama3
        text += end;
        const Ids whole = bpe.encode(text);
        EXPECT_EQ(bpe.decode(whole), text.ends_with("\u0301") ? text.substr(0, text.size() - 3) + "\u00E9" : text);
        EXPECT_TRUE(in_chunks(bpe, text, 3000 + random() % 70000) == whole) << run << end;
        // What stands behind the run is cut as behind a short one.
        const Ids tail = bpe.encode(small + std::string(end));
        ASSERT_TRUE(std::equal(tail.end() - 20, tail.end(), whole.end() - 20)) << to_string(pattern) << run << end;
      }
    }
  }
}

TEST(BpeLongPiece, MayHaveUnknownBytes) {
  Strings tokens = all_bytes();
  tokens['q'] = "UNK";
  Bpe::Parts parts = parts_of(tokens, {{'a', 'a'}});
  parts.tokens.push_back("aa");
  parts.unknown_id = 'q';
  parts.unknown_bytes = Bpe::UnknownBytes::one_each;
  std::string piece;
  while (piece.size() < 200000) piece += "aaq";
  Ids ids;
  posenc::io::Unknowns unknowns;
  Bpe(parts).encode_prefix(piece, Rest::none, ids, unknowns, posenc::io::no_limit);
  ASSERT_EQ(ids.size(), piece.size() / 3 * 2);
  EXPECT_EQ(unknowns, (posenc::io::Unknowns{static_cast<std::int64_t>(piece.size() / 3), "q", 2, 1, 3}));
  for (std::size_t i = 0; i < ids.size(); i += 2) ASSERT_TRUE(ids[i] == 256 && ids[i + 1] == 'q');
}

// A text whose piece from byte 1 on has as many bytes as one may have.
struct Longest {
  Pattern pattern;
  Bpe::UnknownBytes unknown;
  std::string text;
};

TEST(BpeLongPiece, HasAtMostHalfAMebibyte) {
  constexpr auto refused = Bpe::UnknownBytes::refused, fused = Bpe::UnknownBytes::one_a_run;
  const std::vector<Longest> all = {
      {Pattern::gpt2, fused, "1" + std::string(piece_limit, 'a')},
      {Pattern::gpt2, refused, "a" + std::string(piece_limit, ' ')},
      {Pattern::llama3, refused, "1!" + std::string(piece_limit - 1, '\n')},
      {Pattern::llama3, refused, "a" + std::string(piece_limit - 1, ' ') + "\n"},
      {Pattern::qwen, refused, "1(" + std::string(piece_limit - 1, 'w')},
  };
  for (const auto& [pattern, unknown, text] : all) {
    Bpe::Parts parts = parts_of(all_bytes());
    parts.pattern = pattern;
    parts.unknown_bytes = unknown;
    if (unknown == fused) parts.tokens['q'] = "", parts.unknown_id = '?';
    const Bpe bpe(parts);
    EXPECT_FALSE(bpe.check_encode(text));
    EXPECT_EQ(in_chunks(bpe, text, 99999).size(), text.size());
    const std::string more = text + text.back();
    const std::string message = "[bpe_encode] a piece must have at most 524288 bytes, got more at [1]";
    EXPECT_EQ(bpe.check_encode(more).value().message(), message);
    EXPECT_THROW(in_chunks(bpe, more, 99999), posenc::Error);
    Ids ids = {7};
    EXPECT_THROW(bpe.encode_prefix(more + std::string(4, text.back()), Rest::follows, ids), posenc::Error);
    EXPECT_EQ(ids, Ids{7});
  }
}

// Before anything else the last of them begins the next piece.
TEST(BpeLongPiece, OfWhiteSpaceIsMeasuredOnceItsEndIsKnown) {
  const Bpe bpe(parts_of(all_bytes()));
  const std::string text = "a" + std::string(piece_limit + 1, ' ');
  EXPECT_EQ(in_chunks(bpe, text + "b", 99999).size(), text.size() + 1);
  EXPECT_EQ(bpe.check_encode(text).value().index, std::vector<std::int64_t>{1});
  EXPECT_EQ(bpe.check_encode(text + " b").value().index, std::vector<std::int64_t>{1});
}

TEST(BpeLongPiece, OfMarksOnOneCharacterIsAtMostHalfAMebibyte) {
  Bpe::Parts parts = parts_of(all_bytes());
  parts.normalization = Bpe::Normalization::nfc;
  std::string text = "ba";
  while (text.size() <= piece_limit) text += "\u0301";
  EXPECT_EQ(Bpe(parts).check_encode(text).value().message(),
            "[bpe_encode] a character and its marks must have at most 524288 bytes, got more at [1]");
}

}  // namespace
