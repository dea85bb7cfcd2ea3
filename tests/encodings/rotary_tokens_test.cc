// SPDX-License-Identifier: Apache-2.0
// The axis of tokens of a rotated tensor: the one before the columns unless it is stated, whatever the sizes.
#include <gtest/gtest.h>
#include <posenc/rerotate.h>

#include "tests/encodings/rotations.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::half_pairs;
using test::said;

constexpr std::int64_t token_width = 8;

std::vector<float> token_elements(std::int64_t count) {
  std::vector<float> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<float>(i * 37 % 101) / 16 - 3);
  return all;
}

// Positions 0, 1, .. of every sequence alike, as a list for all or as one for each.
struct TokenLists {
  std::vector<std::int64_t> places;
  Positions shared, own;

  TokenLists(std::int64_t sequences, std::int64_t tokens) : shared(Positions::range(0, tokens)), own(shared) {
    for (std::int64_t b = 0; b < sequences; ++b) {
      for (std::int64_t t = 0; t < tokens; ++t) places.push_back(t);
    }
    own = Positions::list(view(std::as_const(places).data(), {sequences, tokens}));
  }
};

// The rows of a tensor [.., L, d], each turned alone: a matrix of one row has one axis that could count tokens.
std::vector<float> rows_alone(std::vector<float> x, const TokenLists& lists, std::int64_t tokens) {
  const RotaryRows rows(half_pairs, token_width);
  for (std::int64_t i = 0; i < std::ssize(x) / token_width; ++i) {
    const View row = view(x.data() + i * token_width, {1, token_width});
    rows.rotate(Positions::at(lists.places[static_cast<std::size_t>(i % tokens)]), row, row);
  }
  return x;
}

// Every entry point gives the expected tensor where no axis is stated. Positions moved from 0 to 0 leave keys as they
// are.
void expect_before_columns(const std::vector<float>& x, const std::vector<float>& expected, const Positions& positions,
                           const View& shape) {
  const RotaryRows rows(half_pairs, token_width);
  const Positions zeros = Positions::range(0, positions.count_, 0);
  const Standing at = {std::span(&positions, 1)}, start = {std::span(&zeros, 1)};
  const auto made_by = [&](const auto& call) {
    std::vector<float> made = x;
    View all = shape;
    all.data = made.data();
    call(all);
    return made;
  };
  constexpr TokenAxis tokens = TokenAxis::before_columns;
  EXPECT_EQ(made_by([&](const View& out) { rotary(half_pairs, positions, Rotated(out, tokens)); }), expected);
  EXPECT_EQ(made_by([&](const View& out) { rotary(half_pairs, positions, Rotated(out, RotatedSide::key, tokens)); }),
            expected);
  EXPECT_EQ(made_by([&](const View& out) { rows.rotate(positions, Rotated(out, tokens)); }), expected);
  EXPECT_EQ(made_by([&](const View& out) {
              const Rotated one[] = {{out, tokens}};
              EXPECT_EQ(said(rows.check_rotate(positions, one)), "nothing");
              rows.rotate(positions, one);
            }),
            expected);
  EXPECT_EQ(said(check_rerotate(half_pairs, start, at, Rotated(shape, tokens))), "nothing");
  const std::string text = "] the axis of tokens must be stated, before_columns or before_heads, got none for ";
  const bool may_be_unstated = shape.rank == 2;
  EXPECT_EQ(said(check_rotary(half_pairs, positions, shape, shape)).substr(0, 7 + text.size()),
            may_be_unstated ? "nothing" : "[rotary" + text);
  EXPECT_EQ(said(check_rerotate(half_pairs, start, at, shape, shape)).substr(0, 9 + text.size()),
            may_be_unstated ? "nothing" : "[rerotate" + text);
}

View token_view(std::vector<float>& x, std::span<const std::int64_t> before, std::int64_t tokens) {
  View out = view(x.data(), {tokens, token_width});
  for (std::size_t i = before.size(); i-- > 0;) {
    for (int axis = out.rank++; axis > 0; --axis) {
      out.shape[axis] = out.shape[axis - 1];
      out.strides[axis] = out.strides[axis - 1];
    }
    out.strides[0] = out.shape[1] * out.strides[1];
    out.shape[0] = before[i];
  }
  return out;
}

// Whatever the sizes of the others: equal ones of every rank, and a prompt of as many tokens as there are heads.
// Unstated, they are refused at all of them.
TEST(RotaryTokens, AreBeforeTheColumnsWhereStated) {
  std::vector<std::vector<std::int64_t>> shapes = {{4},         {2, 3, 4}, {4, 2, 4}, {1, 8, 8},
                                                   {1, 32, 32}, {1, 1, 1}, {3, 3, 1}};
  for (std::size_t rank = 2; rank < max_rank; ++rank) shapes.push_back(std::vector<std::int64_t>(rank, 2));
  shapes.push_back({5, 5, 5});
  for (const std::vector<std::int64_t>& shape : shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const std::int64_t tokens = shape.back();
    std::int64_t count = token_width;
    for (const std::int64_t size : shape) count *= size;
    std::vector<float> x = token_elements(count);
    const View all = token_view(x, std::span(shape).first(shape.size() - 1), tokens);
    const TokenLists lists(shape.size() > 1 ? shape[0] : 1, tokens);
    const std::vector<float> expected = rows_alone(x, lists, tokens);
    expect_before_columns(x, expected, lists.shared, all);
    if (shape.size() > 1) expect_before_columns(x, expected, lists.own, all);
  }
}

// At every length alike, as a prompt of a program that serves a model may have any.
TEST(RotaryTokens, OfQueriesAndKeysOfAModelMayBeAnyNumber) {
  const RotaryRows rows(half_pairs, token_width);
  for (std::int64_t tokens = 1; tokens <= 40; ++tokens) {
    std::vector<float> q(static_cast<std::size_t>(32 * tokens * token_width)), k(q.size() / 4);
    const Rotated both[] = {{view(q.data(), {1, 32, tokens, token_width}), TokenAxis::before_columns},
                            {view(k.data(), {1, 8, tokens, token_width}), TokenAxis::before_columns}};
    EXPECT_EQ(said(rows.check_rotate(Positions::range(0, tokens), both)), "nothing") << tokens;
  }
}

TEST(RotaryTokens, BeforeHeadsAreStated) {
  std::vector<float> x = token_elements(2 * 3 * 4 * token_width);
  const View out = view(x.data(), {2, 3, 4, token_width});  // [B, L, H, d]
  const TokenLists lists(2, 3);
  const RotaryRows rows(half_pairs, token_width);
  for (const Positions& positions : {lists.shared, lists.own}) {
    const Standing at = {std::span(&positions, 1)};
    const std::string text =
        "] out must have a row for each of 3 positions on the axis before its columns; tokens of [.., L, H, d] are "
        "stated by before_heads, got [2, 3, 4, 8]";
    const Rotated one[] = {{out, TokenAxis::before_columns}};
    EXPECT_EQ(said(rows.check_rotate(positions, one)), "[rotary" + text);
    EXPECT_EQ(said(check_rotary(half_pairs, positions, one[0])), "[rotary" + text);
    EXPECT_EQ(said(check_rerotate(half_pairs, at, at, one[0])), "[rerotate" + text);
  }
}

// [B, L, H, d] as its transposed view, for L = H as for others, with one list and with one for each sequence.
TEST(RotaryTokens, BeforeHeadsAreTurnedAsTheTransposedTensor) {
  constexpr std::int64_t batch = 3, heads = 4;
  for (const std::int64_t tokens : {1, 3, 4, 40}) {
    const TokenLists lists(batch, tokens);
    const std::vector<float> x = token_elements(batch * tokens * heads * token_width);
    const auto shaped = [&](std::vector<float>& data) {
      return view(data.data(), {batch, tokens, heads, token_width});
    };
    for (const Positions& positions : {lists.shared, lists.own}) {
      std::vector<float> expected = x, all = x, apart(x.size()), moved = x;
      const View rows = shaped(expected).transposed(1, 2);
      const Rotated by_rows(rows, TokenAxis::before_columns), in_place(shaped(all), TokenAxis::before_heads);
      std::vector<float> from = x;
      const Rotated into(ConstView(shaped(from)), shaped(apart), TokenAxis::before_heads);
      rotary(half_pairs, positions, by_rows);
      rotary(half_pairs, positions, in_place);
      RotaryRows(half_pairs, token_width).rotate(positions, std::span(&into, 1));
      EXPECT_EQ(all, expected) << tokens;
      EXPECT_EQ(apart, expected) << tokens;
      const Positions zero = Positions::range(0, tokens, 0);
      const Positions from_zero[] = {zero}, to[] = {positions};
      rerotate(half_pairs, {from_zero}, {to}, Rotated(shaped(moved), TokenAxis::before_heads));
      for (std::size_t i = 0; i < moved.size(); ++i) EXPECT_NEAR(moved[i], expected[i], 9 * 0x1p-24 * 8) << tokens;
    }
  }
}

TEST(RotaryTokens, OfTensorsOfOneCallAreStatedEachForItself) {
  constexpr std::int64_t tokens = 4, heads = 4;
  std::vector<float> q = token_elements(tokens * heads * token_width), k = q, q_alone = q, k_alone = k;
  const auto shaped = [](std::vector<float>& data) { return view(data.data(), {heads, heads, token_width}); };
  const RotaryRows rows(half_pairs, token_width);
  const Positions positions = Positions::range(5, tokens);
  const Rotated both[] = {{shaped(q), TokenAxis::before_heads}, {shaped(k), TokenAxis::before_columns}};
  rows.rotate(positions, both);
  const Rotated first[] = {{shaped(q_alone), TokenAxis::before_heads}};
  const Rotated second[] = {{shaped(k_alone), TokenAxis::before_columns}};
  rows.rotate(positions, first);
  rows.rotate(positions, second);
  EXPECT_EQ(q, q_alone);
  EXPECT_EQ(k, k_alone);
  EXPECT_NE(q, k);
}

TEST(RotaryTokens, AreRefusedWhereTheStatedAxisHasOthers) {
  std::vector<float> x = token_elements(2 * 3 * 4 * token_width);
  const RotaryRows rows(half_pairs, token_width);
  const auto refused = [&](const Positions& positions, const View& out, TokenAxis axis) {
    const Rotated one[] = {{out, axis}};
    return said(rows.check_rotate(positions, one));
  };
  const View out = view(x.data(), {2, 3, 4, token_width});
  EXPECT_EQ(refused(Positions::range(0, 4), out, TokenAxis::before_columns), "nothing");
  EXPECT_EQ(refused(Positions::range(0, 3), out, TokenAxis::before_heads), "nothing");
  EXPECT_EQ(
      refused(Positions::range(0, 3), out, TokenAxis::before_columns),
      "[rotary] out must have a row for each of 3 positions on the axis before its columns; tokens of [.., L, H, d] "
      "are stated by before_heads, got [2, 3, 4, 8]");
  const std::string rule =
      "[rotary] out must have 4 tokens before its heads, and a sequence for each list of positions, got ";
  EXPECT_EQ(refused(Positions::range(0, 4), out, TokenAxis::before_heads), rule + "[2, 3, 4, 8]");
  EXPECT_EQ(refused(TokenLists(3, 4).own, view(x.data(), {2, 4, 3, token_width}), TokenAxis::before_heads),
            rule + "[2, 4, 3, 8]");
  EXPECT_EQ(refused(Positions::range(0, 4), view(x.data(), {4, token_width}), TokenAxis::before_heads),
            "[rotary] out must have shape [.., L, H, d], got [4, 8]");
  for (const int other : {3, 77, 255}) {
    EXPECT_EQ(refused(Positions::range(0, 4), out, static_cast<TokenAxis>(other)),
              "[rotary] the axis of tokens must be stated, before_columns or before_heads, got none for [2, 3, 4, 8]");
  }
}

TEST(RotaryTokens, OfKeysThatMoveBelongToKeys) {
  std::vector<float> x = token_elements(4 * token_width);
  const View out = view(x.data(), {4, token_width});
  const Positions four[] = {Positions::range(0, 4)};
  EXPECT_EQ(said(check_rerotate(half_pairs, {four}, {four}, Rotated(out, RotatedSide::key))), "nothing");
  EXPECT_EQ(said(check_rerotate(half_pairs, {four}, {four}, Rotated(out, RotatedSide::query))),
            "[rerotate] the tensor must hold keys, got queries");
  EXPECT_EQ(said(check_rerotate(half_pairs, {four}, {four}, Rotated(out, static_cast<RotatedSide>(9)))),
            "[rerotate] the tensor must hold keys, got neither");
}

}  // namespace
}  // namespace posenc
