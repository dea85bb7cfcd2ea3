// SPDX-License-Identifier: Apache-2.0
// The embedded default: the committed file to the byte, a lossless tokenizer, and a reader that trusts no length.
#include "apps/posenc/default/default.h"
#include "apps/posenc/default/embedded.h"
#include "tests/text/digest.h"
#include "tests/text/mixed_text.h"
#include "tests/text/naive_bpe.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

using posenc::test::utf8_of;
using posenc::tool::Default;
using Ids = std::vector<std::int32_t>;

constexpr std::size_t token_count = 3072, width = 512;

const Default& loaded() {
  static const Default value = posenc::tool::load_default();
  return value;
}

std::string committed(const std::string& name) {
  std::ifstream file(std::string(POSENC_SOURCE_DIR) + "/apps/posenc/default/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Ids original(const Ids& ids) {
  Ids originals;
  for (const std::int32_t id : ids) originals.push_back(loaded().original_ids[static_cast<std::size_t>(id)]);
  return originals;
}

TEST(Default, IsTheFileThatWasMade) {
  const std::string file = committed("whisper_base_3072.bin");
  EXPECT_EQ(posenc::test::sha256(file), "136ff97735a0c5adde4b1a91b72e20445d43b2628be7a7218657e8a9a7c6851c");
  EXPECT_EQ(posenc::tool::embedded_default(), file);
}

TEST(Default, CarriesTheLicenceOfItsRows) {
  EXPECT_EQ(loaded().licence, committed("LICENSE.whisper"));
  EXPECT_TRUE(loaded().licence.starts_with("MIT License\n\nCopyright (c) 2022 OpenAI\n"));
}

TEST(Default, ThreeWordsAreTheSameThreeTokensInAnyOrder) {
  const Ids forward = loaded().bpe.encode("我爱你");
  EXPECT_EQ(original(forward), (Ids{1654, 27324, 2166}));
  EXPECT_EQ(loaded().bpe.encode("你爱我"), Ids(forward.rbegin(), forward.rend()));
  EXPECT_EQ(original(loaded().bpe.encode("I love you")), (Ids{40, 959, 291}));
}

TEST(Default, IdsAreRanksOfOriginalIds) {
  ASSERT_EQ(loaded().bpe.size(), static_cast<std::int32_t>(token_count));
  ASSERT_EQ(loaded().original_ids.size(), token_count);
  for (std::size_t id = 0; id < 256; ++id) EXPECT_EQ(loaded().original_ids[id], static_cast<std::int32_t>(id));
  for (std::size_t id = 1; id < token_count; ++id) EXPECT_LT(loaded().original_ids[id - 1], loaded().original_ids[id]);
}

TEST(Default, FirstAreTheBytesAndThenOneTokenAMerge) {
  const posenc::io::Bpe& bpe = loaded().bpe;
  std::string bytes = bpe.decode([] {
    Ids ids(256);
    for (std::size_t id = 0; id < 256; ++id) ids[id] = static_cast<std::int32_t>(id);
    return ids;
  }());
  ASSERT_EQ(bytes.size(), 256u);
  std::sort(bytes.begin(), bytes.end(), [](char a, char b) { return (a & 0xFF) < (b & 0xFF); });
  for (std::size_t byte = 0; byte < 256; ++byte) EXPECT_EQ(bytes[byte] & 0xFF, static_cast<int>(byte));
  ASSERT_EQ(bpe.merges().size(), token_count - 256);
  for (std::size_t rank = 0; rank < bpe.merges().size(); ++rank) {
    const auto [left, right] = bpe.merges()[rank];
    EXPECT_EQ(std::string(bpe.token(left)) + std::string(bpe.token(right)),
              bpe.token(static_cast<std::int32_t>(256 + rank)));
  }
}

TEST(Default, EveryScalarValueComesBack) {
  std::string text;
  for (char32_t scalar = 0; scalar < 0x110000; ++scalar) {
    if (scalar % 0x1000 == 0) text += ' ';  // so that no piece is too long
    if (scalar < 0xD800 || scalar > 0xDFFF) text += utf8_of(scalar);
  }
  EXPECT_EQ(loaded().bpe.decode(loaded().bpe.encode(text)), text);
}

RC_GTEST_PROP(Default, AnyTextComesBack, ()) {
  const auto numbers = *rc::gen::container<std::vector<std::uint32_t>>(
      rc::gen::oneOf(rc::gen::inRange<std::uint32_t>(0, 0x80), rc::gen::inRange<std::uint32_t>(0, 0x10F800)));
  std::string text;
  for (const std::uint32_t number : numbers) text += utf8_of(number < 0xD800 ? number : number + 0x800);
  RC_ASSERT(loaded().bpe.decode(loaded().bpe.encode(text)) == text);
}

TEST(Default, MergesAsTheRuleIsTold) {
  const posenc::io::Bpe& bpe = loaded().bpe;
  posenc::test::Ranks ranks;
  for (const auto [left, right] : bpe.merges()) {
    ranks.emplace(std::pair{std::string(bpe.token(left)), std::string(bpe.token(right))}, ranks.size());
  }
  const std::string text = posenc::test::mixed_text(99, 1 << 15);
  std::vector<std::string> expected, found;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view piece = rest.substr(0, posenc::io::gpt2_piece(rest));
    for (std::string& token : posenc::test::naive_merge(ranks, piece)) expected.push_back(std::move(token));
    rest.remove_prefix(piece.size());
  }
  for (const std::int32_t id : bpe.encode(text)) found.emplace_back(bpe.token(id));
  EXPECT_EQ(found, expected);
}

TEST(Default, RowsAreTheStoredBytesTimesTheirScale) {
  const std::string file = committed("whisper_base_3072.bin");
  const std::size_t rows_at = file.size() - token_count * width, scales_at = rows_at - 4 * token_count;
  ASSERT_EQ(loaded().rows.size(), token_count * width);
  for (std::size_t row = 0; row < token_count; ++row) {
    float scale;
    std::memcpy(&scale, file.data() + scales_at + 4 * row, 4);  // little endian, as every machine this test runs on
    double squares = 0;
    int greatest = 0;
    for (std::size_t column = 0; column < width; ++column) {
      const int entry = static_cast<signed char>(file[rows_at + width * row + column]);
      const float value = loaded().rows[width * row + column];
      ASSERT_EQ(value, static_cast<float>(double{scale} * entry));
      squares += double{value} * value;
      greatest = std::max(greatest, entry < 0 ? -entry : entry);
    }
    EXPECT_EQ(greatest, 127);
    EXPECT_TRUE(squares > 0.35 * 0.35 && squares < 0.81 * 0.81) << row;
  }
}

// ---- files that are not it ----

void expect_refused(const std::string& file, const std::string& message) {
  try {
    posenc::tool::read_default(file);
    ADD_FAILURE() << "taken: " << message;
  } catch (const posenc::Error& error) {
    EXPECT_STREQ(error.what(), message.c_str());
  }
}

std::string with_word(std::size_t offset, std::uint32_t word) {
  std::string file = committed("whisper_base_3072.bin");
  for (std::size_t i = 0; i < 4; ++i) file[offset + i] = static_cast<char>((word >> (8 * i)) & 0xFF);
  return file;
}

TEST(DefaultFile, NoCutFileIsTaken) {
  const std::string file = committed("whisper_base_3072.bin");
  for (std::size_t size = 0; size < file.size(); size += size < 32 ? 1 : 40009) {
    EXPECT_THROW(posenc::tool::read_default(std::string_view(file).substr(0, size)), posenc::Error) << size;
  }
  EXPECT_THROW(posenc::tool::read_default(std::string_view(file).substr(0, file.size() - 1)), posenc::Error);
  expect_refused(file + '\0', "[read_default] the file must end here, got 1642526 bytes at [1642525]");
}

TEST(DefaultFile, HeaderIsChecked) {
  expect_refused(with_word(0, 0), "[read_default] the file must begin with posencDV, got other bytes at [0]");
  expect_refused(with_word(8, 2), "[read_default] the version must be 1, got 2 at [8]");
  expect_refused(with_word(20, 511), "[read_default] the width must be 512, got 511 at [20]");
}

TEST(DefaultFile, CountsAreCheckedAgainstTheBytesThereAre) {
  expect_refused(with_word(12, 0xFFFFFFFF),
                 "[read_default] the file must go on for 17179869180 bytes, got 1642497 at [28]");
  EXPECT_THROW(posenc::tool::read_default(with_word(16, 0xFFFFFFFF)), posenc::Error);
  EXPECT_THROW(posenc::tool::read_default(with_word(24, 0xFFFFFFFF)), posenc::Error);
  EXPECT_THROW(posenc::tool::read_default(with_word(12, 3071)), posenc::Error);
  EXPECT_THROW(posenc::tool::read_default(with_word(16, 2815)), posenc::Error);
}

TEST(DefaultFile, ValuesAreChecked) {
  const std::size_t lengths_at = 28 + 4 * token_count, scales_at = 1642525 - token_count * (width + 4);
  expect_refused(with_word(28 + 4 * 2, 1), "[read_default] original ids must ascend, got 1 at [36]");
  expect_refused(with_word(28 + 4 * 3071, 0x80000000),
                 "[read_default] original ids must ascend, got 2147483648 at [12312]");
  EXPECT_THROW(posenc::tool::read_default(with_word(lengths_at, 2)), posenc::Error);
  EXPECT_THROW(posenc::tool::read_default(with_word(lengths_at, 0xFFFFFFFF)), posenc::Error);
  EXPECT_THROW(posenc::tool::read_default(with_word(scales_at - 4, 3072)), posenc::Error);
  EXPECT_THROW(posenc::tool::read_default(with_word(scales_at, 0x7FC00000)), posenc::Error);
  EXPECT_THROW(posenc::tool::read_default(with_word(scales_at, 0)), posenc::Error);
}

}  // namespace
