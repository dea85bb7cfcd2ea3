// SPDX-License-Identifier: Apache-2.0
// Pieces beyond what is joined at a time: the ids of the piece at once, in one pass and in chunks, and what cannot be
// cut.
#include "src/text/bpe/bpe_merges.h"
#include "tests/text/small_bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace {

using posenc::io::Bpe;
using posenc::io::Pattern;
using posenc::io::Rest;
using posenc::test::all_bytes;
using posenc::test::bytes_and;
using posenc::test::paired_parts;
using posenc::test::parts_of;
using Strings = std::vector<std::string>;
using Ids = std::vector<std::int32_t>;

constexpr std::size_t window = std::size_t{64} << 10;

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

// Whether merges come behind those that make their parts, as training puts them.
enum class Order : std::uint8_t { trained = 1, any };

Bpe::Parts parts_of_letters(std::string_view letters, Order order, std::mt19937& random) {
  Strings parts;
  for (const char letter : letters) parts.emplace_back(1, letter);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t end = parts.size(); end < 40; end = parts.size()) {
    for (int i = 0; i < 12; ++i) {
      pairs.emplace_back(parts[random() % end], parts[random() % end]);
      parts.push_back(pairs.back().first + pairs.back().second);
    }
  }
  if (order == Order::any) std::shuffle(pairs.begin(), pairs.end(), random);
  return posenc::test::joined_parts(pairs);
}

// The rule without windows.
Ids joined_at_once(const Bpe::Parts& parts, std::string_view piece) {
  std::vector<posenc::io::Joins::Join> joins;
  for (const Bpe::Merge& merge : parts.merges) {
    const std::string token =
        parts.tokens[static_cast<std::size_t>(merge.left)] + parts.tokens[static_cast<std::size_t>(merge.right)];
    joins.push_back({merge.left, merge.right, static_cast<std::int32_t>(joins.size()),
                     static_cast<std::int32_t>(std::ranges::find(parts.tokens, token) - parts.tokens.begin())});
  }
  std::array<std::int32_t, 256> byte_ids;
  std::iota(byte_ids.begin(), byte_ids.end(), 0);
  const posenc::io::Joins by_pair(joins, parts.tokens.size());
  Ids spelled, ids;
  for (const char byte : piece) spelled.push_back(static_cast<std::uint8_t>(byte));
  posenc::io::Joiner(by_pair, {parts.tokens, byte_ids}).join(spelled, ids);
  return ids;
}

TEST(BpeLongPiece, HasTheIdsOfThePieceAtOnceInOnePassAndInChunks) {
  std::mt19937 random(20250901);
  for (const std::string_view letters : {"a", "ab", "abcdef", "019", ".!'", " \t"}) {
    for (const Order order : {Order::trained, Order::any}) {
      const Bpe::Parts parts = parts_of_letters(letters, order, random);
      std::string piece;
      for (std::size_t left = 2 * window + random() % window; left > 0; --left) {
        piece += letters[random() % letters.size()];
      }
      const Bpe bpe(parts);
      const Ids expected = joined_at_once(parts, piece);
      EXPECT_TRUE(bpe.encode(piece) == expected) << letters;
      EXPECT_TRUE(in_chunks(bpe, piece, 1000 + random() % 100000) == expected) << letters;
      if (order == Order::any) continue;
      Ids ids;
      EXPECT_GT(bpe.encode_prefix(piece, Rest::follows, ids), piece.size() - window - 1000) << letters;
      EXPECT_TRUE(std::equal(ids.begin(), ids.end(), expected.begin()));
    }
  }
}

TEST(BpeLongPiece, OfEveryPatternEndsWhereItDoes) {
  std::mt19937 random(20250902);
  for (const Pattern pattern : {Pattern::gpt2, Pattern::llama3, Pattern::qwen}) {
    Bpe::Parts parts = paired_parts("ab1!\n ");
    parts.pattern = pattern;
    parts.normalization = Bpe::Normalization::nfc;
    const Bpe bpe(parts);
    for (const std::string_view run : {"ab", "1", "!", " ", "\n", " \n", "我"}) {
      for (const std::string_view end : {"", " b", "\n", "'s", "e\u0301"}) {
        std::string text = "a ", small = text;
        while (text.size() < window + 9000) text += run;
        while (small.size() < 200 || small.size() % 6 != text.size() % 6) small += run;  // 6: numbers of llama3
        text += end;
        const Ids whole = bpe.encode(text);
        EXPECT_EQ(bpe.decode(whole), text.ends_with("\u0301") ? text.substr(0, text.size() - 3) + "\u00E9" : text);
        EXPECT_TRUE(in_chunks(bpe, text, 30000 + random() % 70000) == whole) << run << end;
        // What stands behind the run is cut as behind a short one.
        const Ids tail = bpe.encode(small + std::string(end));
        ASSERT_TRUE(std::equal(tail.end() - 20, tail.end(), whole.end() - 20)) << to_string(pattern) << run << end;
      }
    }
  }
}

// A rest that is a token, but only by chance.
TEST(BpeLongPiece, IsNotTakenAsAWholeBehindACut) {
  const std::string token(1000, 'a');
  Bpe::Parts parts = parts_of(bytes_and({token}));
  parts.whole_pieces = Bpe::WholePieces::taken;
  const Bpe bpe(parts);
  EXPECT_EQ(bpe.encode(token), Ids{256});
  for (const std::size_t size : {window, window + 1, window + 999, window + 1000, 2 * window, 2 * window + 1}) {
    EXPECT_TRUE(bpe.encode(std::string(size, 'a')) == Ids(size, 'a')) << size;
    EXPECT_TRUE(in_chunks(bpe, std::string(size, 'a'), 50000) == Ids(size, 'a')) << size;
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
  while (piece.size() < 3 * window) piece += "aaq";
  Ids ids;
  posenc::io::Unknowns unknowns;
  Bpe(parts).encode_prefix(piece, Rest::none, ids, unknowns, posenc::io::no_limit);
  ASSERT_EQ(ids.size(), piece.size() / 3 * 2);
  EXPECT_EQ(unknowns, (posenc::io::Unknowns{static_cast<std::int64_t>(piece.size() / 3), "q", 2, 1, 3}));
  for (std::size_t i = 0; i < ids.size(); i += 2) ASSERT_TRUE(ids[i] == 256 && ids[i + 1] == 'q');
}

struct Uncut {
  Pattern pattern;
  Bpe::UnknownBytes unknown;
  std::string text;  // from byte 1 on
};

TEST(BpeLongPiece, ThatCannotBeCutIsAtMostHalfAMebibyte) {
  using posenc::io::piece_limit;
  constexpr auto refused = Bpe::UnknownBytes::refused, fused = Bpe::UnknownBytes::one_a_run;
  const std::vector<Uncut> stretches = {
      {Pattern::qwen, refused, "a!!" + std::string(piece_limit - 2, '\n')},
      {Pattern::llama3, refused, "a\n" + std::string(piece_limit, ' ')},
      {Pattern::gpt2, fused, "1" + std::string(piece_limit, 'a')},
  };
  for (const auto& [pattern, unknown, text] : stretches) {
    Bpe::Parts parts = parts_of(all_bytes());
    parts.pattern = pattern;
    parts.unknown_bytes = unknown;
    if (unknown == fused) parts.tokens['q'] = "", parts.unknown_id = '?';
    const Bpe bpe(parts);
    EXPECT_FALSE(bpe.check_encode(text));
    EXPECT_EQ(in_chunks(bpe, text, 99999).size(), text.size());
    const std::string more = text + text.back();
    EXPECT_EQ(bpe.check_encode(more + "x")->message(),
              "[bpe_encode] a stretch that cannot be cut must have at most 524288 bytes, got more at [1]");
    Ids ids;
    EXPECT_THROW(bpe.encode_prefix(more, Rest::follows, ids), posenc::Error);
    EXPECT_EQ(ids, Ids{});
  }
}

TEST(BpeLongPiece, OfMarksOnOneCharacterIsAtMostHalfAMebibyte) {
  Bpe::Parts parts = parts_of(all_bytes());
  parts.normalization = Bpe::Normalization::nfc;
  std::string text = "ba";
  while (text.size() <= posenc::io::piece_limit) text += "\u0301";
  EXPECT_EQ(Bpe(parts).check_encode(text)->message(),
            "[bpe_encode] a character and its marks must have at most 524288 bytes, got more at [1]");
}

}  // namespace
