// SPDX-License-Identifier: Apache-2.0
// The rows of a text read in pieces against one call of the input stage with all ids.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/text/text_encoder.h>

#include <cstring>

namespace posenc::io {
namespace {

constexpr std::int64_t width = 24;  // Philox blocks have 8 columns

/// 10,007 characters of one to four bytes, some of which NFC joins.
std::string text_of_many_kinds() {
  std::string text;
  for (int i = 0; i < 10007; ++i) {
    constexpr std::string_view parts[] = {"a", "\u00e9", "\u6211", "\U0001F600", " ", "e\u0301", "\n"};
    text += parts[static_cast<std::size_t>(i * i + i / 3) % std::size(parts)];
  }
  return text;
}

std::vector<float> rows_of(std::int64_t vocabulary) {
  std::vector<float> rows(static_cast<std::size_t>(vocabulary * width));
  seeded_rows(view(rows.data(), {vocabulary, width}), 5, 0, RowInit::normal);
  return rows;
}

/// A source that hands out at most `most` bytes at a time.
Source dripping(std::string text, std::size_t most) {
  return [text = std::move(text), most, at = std::size_t{0}](std::span<char> to) mutable {
    const std::size_t size = text.copy(to.data(), std::min(to.size(), most), at);
    at += size;
    return size;
  };
}

struct Case {
  Tokenizer tokenizer;
  double dropout;
  std::int64_t start;
  std::uint32_t first;
};

std::vector<Case> cases() {
  const Tokenizer chars = Chars(build_vocabulary(Unit::character, text_source(text_of_many_kinds()), "text"));
  return {{Bytes{}, 0, 0, 0}, {Bytes{}, 0.3, -5, 7}, {chars, 0.3, 0, 0}, {chars, 0, std::int64_t{1} << 40, 0}};
}

std::vector<float> in_one_pass(const Case& c, const InputStage& stage, const std::string& text) {
  std::vector<std::int32_t> ids;
  Unknowns unknowns;
  (void)encode_prefix(c.tokenizer, text, Rest::none, ids, unknowns);
  std::vector<float> out(ids.size() * static_cast<std::size_t>(width));
  stage.encode(view(std::as_const(ids).data(), {std::ssize(ids)}), Positions::range(c.start, std::ssize(ids)),
               view(out.data(), {std::ssize(ids), width}), {.mode = StageMode::train, .call = 3, .first = c.first});
  return out;
}

std::vector<float> in_pieces(const Case& c, const InputStage& stage, Source source, std::int64_t rows) {
  TokenReader reader(c.tokenizer, std::move(source), "text");
  TextEncoder encoder(stage, reader, {.start = c.start, .mode = StageMode::train, .call = 3, .first = c.first});
  std::vector<float> all, block(static_cast<std::size_t>(rows * width));
  while (const std::int64_t count = encoder.read(view(block.data(), {rows, width}))) {
    EXPECT_EQ(std::ssize(encoder.ids()), count);
    all.insert(all.end(), block.begin(), block.begin() + count * width);
    if (count < rows) {
      EXPECT_EQ(encoder.read(view(block.data(), {rows, width})), 0);
      break;
    }
  }
  EXPECT_EQ(encoder.tokens() * width, std::ssize(all));
  return all;
}

TEST(TextEncoder, GivesTheBitsOfOnePassForAnySizeOfPieces) {
  const std::string text = text_of_many_kinds();
  for (const Case& c : cases()) {
    const std::int32_t vocabulary = size(c.tokenizer);
    const std::vector<float> rows = rows_of(vocabulary);
    const InputStage stage(view(rows.data(), {vocabulary, width}), preset("transformer").convention,
                           {.scale = Scale::sqrt_dim, .dropout = c.dropout, .seed = 11});
    const std::vector<float> whole = in_one_pass(c, stage, text);
    ASSERT_GE(std::ssize(whole), 10007 * width);
    for (const std::int64_t piece :
         {std::int64_t{1}, std::int64_t{7}, std::int64_t{64}, std::int64_t{4096}, std::ssize(whole) / width}) {
      for (const std::size_t bytes : {std::size_t{5}, std::size_t{1} << 20}) {
        const std::vector<float> pieces = in_pieces(c, stage, dripping(text, bytes), piece);
        ASSERT_EQ(pieces.size(), whole.size()) << piece;
        EXPECT_EQ(std::memcmp(pieces.data(), whole.data(), whole.size() * sizeof(float)), 0) << piece << " " << bytes;
      }
    }
  }
}

/// One encoder of single bytes, its rows and its output of four rows.
struct Fixture {
  explicit Fixture(const std::string& text, const TextEncoderOptions& options = {}, std::int64_t vocabulary = 256)
      : stage(view(std::as_const(rows).data(), {vocabulary, width}), preset("transformer").convention,
              {.scale = Scale::none, .dropout = 0.5, .seed = 1}),
        reader(tokenizer, text_source(text), "text"),
        encoder(stage, reader, options) {}

  std::int64_t read() { return encoder.read(view(block.data(), {4, width})); }
  /// The problem of the call after `reads` full ones.
  Problem problem(std::int64_t reads) {
    for (std::int64_t i = 0; i < reads; ++i) EXPECT_EQ(read(), 4);
    try {
      (void)read();
    } catch (const Error& error) {
      return error.problem();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  std::vector<float> rows = rows_of(256);
  Tokenizer tokenizer = Bytes{};
  InputStage stage;
  TokenReader reader;
  TextEncoder encoder;
  std::vector<float> block = std::vector<float>(4 * width);
};

TEST(TextEncoder, AnEmptyTextHasNoRows) {
  Fixture f("");
  EXPECT_EQ(f.read(), 0);
  EXPECT_TRUE(f.encoder.ids().empty());
}

TEST(TextEncoder, NamesABadIdByItsNumberInTheText) {
  Fixture f("0123456789\xff", {}, 100);  // '9' is 57
  const Problem problem = f.problem(2);
  EXPECT_EQ(problem.index, std::vector<std::int64_t>{10});
  EXPECT_NE(problem.value.find("255"), std::string::npos) << problem.value;
}

TEST(TextEncoder, RefusesPositionsBeyond64BitsWhereTheyBegin) {
  EXPECT_NE(Fixture("0123456789", {.start = INT64_MAX - 5}).problem(1).message().find("64 bits"), std::string::npos);
  EXPECT_EQ(Fixture("0123456789", {.start = INT64_MAX - 7}).problem(2).rule, "positions must fit in 64 bits");
}

TEST(TextEncoder, RefusesMaskIndicesBeyond32BitsUnderDropoutOnly) {
  Fixture training("0123456789", {.mode = StageMode::train, .first = UINT32_MAX - 3});
  EXPECT_NE(training.problem(1).message().find("32 bits"), std::string::npos);
  Fixture evaluation("01234567", {.first = UINT32_MAX - 3});
  EXPECT_EQ(evaluation.read(), 4);
  EXPECT_EQ(evaluation.read(), 4);
}

TEST(TextEncoder, RefusesAnOutputOfAnotherShapeOrType) {
  std::vector<double> doubles(4 * width);
  std::vector<float> floats(4 * width);
  for (const View& out : {view(floats.data(), {0, width}), view(floats.data(), {2, 2, width}),
                          view(doubles.data(), {4, width}), view(floats.data(), {4, width - 1})}) {
    EXPECT_THROW((void)Fixture("0123").encoder.read(out), Error);
  }
}

}  // namespace
}  // namespace posenc::io
