// SPDX-License-Identifier: Apache-2.0
// Slopes of heads, each rounded once to f64, against ALiBi's formula by MPFR; what they multiply.
#include <gtest/gtest.h>

#include <bit>

#include "tests/conventions/lowered.h"

namespace posenc {
namespace {

using oracle::Value;
using test::refusal;

// 2^(-octaves (h + 1) / P) of the first P heads, P a power of two; 2^(-octaves (2 (h - P) + 1) / 2P) of the others.
Value slope(double octaves, std::int64_t h, std::int64_t heads) {
  std::int64_t P = 1;
  while (2 * P <= heads) P *= 2;
  const Value steps =
      h < P ? oracle::whole(h + 1) / oracle::whole(P) : (oracle::whole(2 * (h - P) + 1)) / oracle::whole(2 * P);
  return pow(Value(2), Value(0) - Value(octaves) * steps);
}

template <class Formula>
void expect_slopes(const Slopes& slopes, std::int64_t heads, std::int64_t width, const Formula& formula) {
  ASSERT_EQ(refusal(slopes, {.width = width, .heads = heads}), "nothing");
  const plan::HeadPlan plan = lower_heads(slopes, {.width = width, .heads = heads});
  ASSERT_EQ(plan.heads(), static_cast<std::size_t>(heads));
  for (std::int64_t h = 0; h < heads; ++h) {
    EXPECT_EQ(test::rounded(plan.slope(static_cast<std::size_t>(h))), oracle::rounded(formula(h), oracle::f64)) << h;
  }
}

TEST(LowerSlopes, FallOverTheirOctaves) {
  for (const double octaves : {8.0, 7.3, 0.001, 1024.0}) {
    for (const std::int64_t heads : {1, 2, 3, 8, 12, 71}) {
      expect_slopes(Bias{octaves}, heads, 0, [&](std::int64_t h) { return slope(octaves, h, heads); });
    }
  }
}

TEST(LowerSlopes, AreRoundedToBf16BeforeAnyProduct) {
  Slopes falcon = Bias{8};
  falcon.slope_rounding = SlopeRounding::bf16, falcon.scale = HeadScale::one_over_sqrt_head;
  for (const std::int64_t heads : {8, 71}) {
    expect_slopes(falcon, heads, 64, [&](std::int64_t h) {
      return Value(oracle::rounded(slope(8, h, heads), oracle::bf16)) / sqrt(Value(64));
    });
    expect_slopes(falcon, heads, 80, [&](std::int64_t h) {
      return Value(oracle::rounded(slope(8, h, heads), oracle::bf16)) / sqrt(Value(80));
    });
  }
  EXPECT_EQ(refusal(falcon, {.heads = 8}),
            "[convention] the width of a head must be stated: the scale depends on it, got none");
}

TEST(LowerSlopes, AreTimesAScaleThatMayBeNegative) {
  Slopes slopes = Bias{8};
  for (const double scale : {0.1, -3.0}) {
    slopes.scale = scale;
    expect_slopes(slopes, 12, 0, [&](std::int64_t h) { return Value(scale) * slope(8, h, 12); });
  }
}

TEST(LowerSlopes, AreOfPowersOfTwoAloneWhereThereAreNoHeadsBeyond) {
  Slopes slopes = Bias{8};
  slopes.heads_beyond = HeadsBeyond::none;
  expect_slopes(slopes, 16, 0, [](std::int64_t h) { return slope(8, h, 16); });
  EXPECT_EQ(refusal(slopes, {.heads = 12}), "[convention] the number of heads must be a power of two, got 12");
}

TEST(LowerSlopes, SayWhatTheyMultiplyAndWhichKeysCount) {
  constexpr std::pair<BiasValue, plan::Distance> values[] = {
      {BiasValue::minus_distance, plan::Distance::minus_distance},
      {BiasValue::key, plan::Distance::key},
      {BiasValue::key_from_last, plan::Distance::key_from_last},
      {BiasValue::causal, plan::Distance::causal}};
  for (const auto& [value, distance] : values) {
    Slopes slopes = Bias{8};
    slopes.value = value;
    EXPECT_EQ(lower_heads(slopes, {.heads = 2}).distance, distance);
    EXPECT_EQ(lower_heads(slopes, {.heads = 2}).keys, plan::Keys::all);
    slopes.over = KeysCounted::present;
    EXPECT_EQ(lower_heads(slopes, {.heads = 2}).keys, plan::Keys::present);
  }
}

}  // namespace
}  // namespace posenc
