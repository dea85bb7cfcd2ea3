// SPDX-License-Identifier: Apache-2.0
// The axis of tokens of a rotated tensor: stated wherever two could be it, and turned as it is stated.
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

struct TokenShape {
  std::string text;  // what is said
  std::int64_t batch, heads, tokens;
};

// What every entry says of a tensor whose axis is not stated.
void expect_said(const std::string& text, const Positions& positions, const View& out) {
  const RotaryRows rows(half_pairs, token_width);
  const Standing at = {std::span(&positions, 1)};
  const auto of = [&](const char* operation) {
    return text == "nothing" ? text : "[" + std::string(operation) + "] " + text;
  };
  EXPECT_EQ(said(rows.check_rotate(positions, out, out)), of("rotary"));
  EXPECT_EQ(said(check_rotary(half_pairs, positions, out, out)), of("rotary"));
  EXPECT_EQ(said(check_rerotate(half_pairs, at, at, out, out)), of("rerotate"));
  const Rotated stated[] = {{out, TokenAxis::before_columns}};
  EXPECT_EQ(said(rows.check_rotate(positions, stated)), "nothing");
  EXPECT_EQ(said(check_rotary(half_pairs, positions, stated[0])), "nothing");
  EXPECT_EQ(said(check_rerotate(half_pairs, at, at, stated[0])), "nothing");
}

TEST(RotaryTokens, AreOnAnAxisThatIsStatedWhereTwoCouldBeIt) {
  const std::string rule = "the axis of tokens must be stated: axes ";
  for (const auto& [text, batch, heads, tokens] :
       {TokenShape{"nothing", 2, 3, 4}, TokenShape{"nothing", 1, 1, 1},  // at one position every place is turned alike
        TokenShape{"nothing", 3, 3, 1}, TokenShape{"nothing", 0, 0, 0},
        TokenShape{rule + "1 and 2 of out have the 4 positions, got [2, 4, 4, 8]", 2, 4, 4},
        TokenShape{rule + "0 and 2 of out have the 4 positions, got [4, 2, 4, 8]", 4, 2, 4},
        TokenShape{rule + "0 and 1 and 2 of out have the 2 positions, got [2, 2, 2, 8]", 2, 2, 2}}) {
    std::vector<float> x = token_elements(std::max<std::int64_t>(1, batch * heads * tokens * token_width));
    expect_said(text, Positions::range(0, tokens), view(x.data(), {batch, heads, tokens, token_width}));
  }
}

TEST(RotaryTokens, AreNotOnTheAxisThatHasAListForEachSequence) {
  std::vector<float> x = token_elements(5 * 5 * 5 * token_width);
  const TokenLists lists(4, 4);
  expect_said("nothing", lists.own, view(x.data(), {4, 4, token_width}));
  expect_said("nothing", lists.own, view(x.data(), {4, 3, 4, token_width}));
  expect_said("the axis of tokens must be stated: axes 1 and 2 of out have the 4 positions, got [4, 4, 4, 8]",
              lists.own, view(x.data(), {4, 4, 4, token_width}));
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
  EXPECT_EQ(refused(Positions::range(0, 3), out, TokenAxis::before_columns),
            "[rotary] out must have a row for each of 3 positions, got [2, 3, 4, 8]");
  const std::string rule =
      "[rotary] out must have 4 tokens before its heads, and a sequence for each list of positions, got ";
  EXPECT_EQ(refused(Positions::range(0, 4), out, TokenAxis::before_heads), rule + "[2, 3, 4, 8]");
  EXPECT_EQ(refused(TokenLists(3, 4).own, view(x.data(), {2, 4, 3, token_width}), TokenAxis::before_heads),
            rule + "[2, 4, 3, 8]");
  EXPECT_EQ(refused(Positions::range(0, 4), view(x.data(), {4, token_width}), TokenAxis::before_heads),
            "[rotary] out must have shape [.., L, H, d], got [4, 8]");
  for (const int other : {3, 77, 255}) {
    EXPECT_EQ(refused(Positions::range(0, 4), out, static_cast<TokenAxis>(other)),
              "[rotary] the axis of tokens must be before_columns or before_heads, got none");
  }
}

TEST(RotaryTokens, OfKeysThatMoveBelongToKeys) {
  std::vector<float> x = token_elements(4 * token_width);
  const View out = view(x.data(), {4, token_width});
  const Positions four[] = {Positions::range(0, 4)};
  EXPECT_EQ(said(check_rerotate(half_pairs, {four}, {four}, Rotated(out, Side::key))), "nothing");
  EXPECT_EQ(said(check_rerotate(half_pairs, {four}, {four}, Rotated(out, Side::query))),
            "[rerotate] the tensor must hold keys, got queries");
  EXPECT_EQ(said(check_rerotate(half_pairs, {four}, {four}, Rotated(out, static_cast<Side>(9)))),
            "[rerotate] the tensor must hold keys, got neither");
}

}  // namespace
}  // namespace posenc
