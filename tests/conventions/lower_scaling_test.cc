// SPDX-License-Identifier: Apache-2.0
// Frequencies for long contexts, each rounded once to f64, against the formulas of their sources by MPFR.
#include <gtest/gtest.h>

#include "tests/conventions/lowered.h"

namespace posenc {
namespace {

using oracle::Value;
using test::expect_frequencies;
using test::frequencies;

constexpr std::int64_t row_width = 64, pair_count = row_width / 2;  // r and n of the formulas

Geometric scaled(double base, Scaling scaling) {
  Geometric ladder = {base, 1, Spacing::over_width};
  ladder.scaling = std::move(scaling);
  return ladder;
}
// base^(-2k / r)
Value unscaled(const Value& base, const Value& k) { return pow(base, Value(0) - Value(2) * k / Value(row_width)); }

std::string refusal_of(const Scaling& scaling, std::int64_t width, std::int64_t length = 4096, double base = 10000) {
  return test::refusal(test::one_axis(scaled(base, scaling)), {.width = width, .context = {.length = length}});
}

// ---- one factor ----------------------------------------------------------------------------------

TEST(LowerScaling, LinearDividesFrequencies) {
  for (const double s : {4.0, 2.5, 0.1}) {
    expect_frequencies(frequencies(scaled(10000, LinearScaling{s}), row_width), pair_count,
                       [&](Value k) { return unscaled(10000, k) / Value(s); });
  }
}

TEST(LowerScaling, BaseMultipliesTheBase) {
  for (const double s : {10.0, 0.3}) {
    expect_frequencies(frequencies(scaled(10000, BaseScaling{s}), row_width), pair_count,
                       [&](Value k) { return unscaled(Value(10000) * Value(s), k); });
  }
}

// base s^(r / (r - 2))
Value ntk_base(double base, const Value& s) { return Value(base) * pow(s, Value(row_width) / Value(row_width - 2)); }

TEST(LowerScaling, NtkMultipliesItByAPower) {
  for (const double s : {1.0, 4.0, 2.5, 0.3}) {
    expect_frequencies(frequencies(scaled(10000, NtkScaling{s}), row_width), pair_count,
                       [&](Value k) { return unscaled(ntk_base(10000, Value(s)), k); });
  }
  EXPECT_EQ(refusal_of(NtkScaling{4}, 2),
            "[convention] width must be more than 2: the scaling divides by it less 2, got 2");
}

// s L' / M - (s - 1) in place of s, L' = max(L, M)
TEST(LowerScaling, DynamicNtkFollowsTheLengthBeyondTheFirstOne) {
  constexpr std::int64_t M = 2048;
  for (const double s : {4.0, 2.5}) {
    for (const std::int64_t L : {1, 2047, 2048, 2049, 5000, 1 << 20}) {
      const Value longest(static_cast<double>(std::max(L, M)));
      const Value factor = Value(s) * longest / Value(M) - (Value(s) - Value(1));
      expect_frequencies(frequencies(scaled(10000, DynamicNtkScaling{s, M}), row_width, L), pair_count,
                         [&](Value k) { return unscaled(ntk_base(10000, factor), k); });
    }
  }
  EXPECT_EQ(refusal_of(DynamicNtkScaling{4, M}, row_width, 0),
            "[convention] length must be stated: the scaling depends on it, got none");
  EXPECT_EQ(refusal_of(DynamicNtkScaling{4, M}, 2),
            "[convention] width must be more than 2: the scaling divides by it less 2, got 2");
}

// ---- YaRN ----------------------------------------------------------------------------------------

// The pair that makes t turns within L0 positions: r ln(L0 / (2 pi t)) / (2 ln base).
Value pair_of(const YarnScaling& yarn, double base, double t) {
  const Value turns = Value(static_cast<double>(yarn.length)) / (Value(2) * oracle::pi() * Value(t));
  return Value(row_width) * log(turns) / (Value(2) * log(Value(base)));
}
Value clipped(const Value& x, const Value& least, const Value& most) { return x < least ? least : most < x ? most : x; }
Value rounded_down(Value x) { return mpfr_floor(x.get(), x.get()), x; }
Value rounded_up(Value x) { return mpfr_ceil(x.get(), x.get()), x; }

void expect_yarn(double base, const YarnScaling& yarn) {
  Value low = pair_of(yarn, base, yarn.fast), high = pair_of(yarn, base, yarn.slow);
  if (yarn.truncate == Truncate::whole) low = rounded_down(low), high = rounded_up(high);
  low = clipped(low, 0, row_width - 1), high = clipped(high, 0, row_width - 1);
  if (!(low < high) && !(high < low)) high = high + Value(1) / Value(1000);
  expect_frequencies(frequencies(scaled(base, yarn), row_width), pair_count, [&](Value k) {
    const Value ramp = clipped((k - low) / (high - low), 0, 1), w = unscaled(base, k);
    return w / Value(yarn.factor) * ramp + w * (Value(1) - ramp);
  });
}

TEST(LowerScaling, YarnBlendsBetweenTwoPairs) {
  for (const Truncate truncate : {Truncate::whole, Truncate::none}) {
    expect_yarn(10000, {40, 4096, 32, 1, truncate});                // DeepSeek V3
    expect_yarn(150000, {32, 4096, 32, 1, truncate});               // gpt-oss, which does not truncate
    expect_yarn(1000000, {4, 32768, 32, 1, truncate});              // Qwen
    expect_yarn(10000, {2.5, 100, 32, 1, truncate});                // low is clamped to 0
    expect_yarn(100, {4, 1 << 20, 3, 0.001, truncate});             // both are clamped to r - 1
    expect_yarn(10000, {4, 4096, 8, 8, truncate});                  // low = high where they are not rounded
    expect_yarn(10000, {4, 4096, 20.617812, 20.617812, truncate});  // the same, 0.0005 before a pair
    expect_yarn(10000, {4, 2, 8, 4, truncate});                     // both 0
    expect_yarn(1.5, {4, 1 << 20, 32, 1, truncate});                // both r - 1
    expect_yarn(16, {40, 2048, 32, 1, truncate});                   // high alone is r - 1, as of bases below 32
    expect_yarn(100, {4, 1 << 20, 3000, 0.001, truncate});          // the same of turns that lie far apart
  }
  EXPECT_EQ(refusal_of(YarnScaling{4, 4096, 32, 1, Truncate::whole}, row_width, 0, 1),
            "[convention] base must be > 1 under yarn, got 1");
}

// ---- LongRoPE, llama3, proportional --------------------------------------------------------------

TEST(LowerScaling, LongRopeDividesByOneListOrTheOther) {
  LongRopeScaling lists = {{}, {}, 4096};
  for (int k = 0; k < pair_count; ++k)
    lists.short_factors.push_back(1 + 0.01 * k), lists.long_factors.push_back(1 + 0.7 * k);
  for (const std::int64_t L : {1, 4096, 4097, 131072}) {
    const std::vector<double>& list = L > 4096 ? lists.long_factors : lists.short_factors;
    expect_frequencies(frequencies(scaled(10000, lists), row_width, L), pair_count, [&, at = 0](Value k) mutable {
      return unscaled(10000, k) / Value(list[static_cast<std::size_t>(at++)]);
    });
  }
  EXPECT_EQ(refusal_of(lists, row_width, 0), "[convention] length must be stated: the scaling depends on it, got none");
  EXPECT_EQ(refusal_of(lists, row_width - 2), "[convention] longrope must list 31 factors for width 62, got 32");
}

TEST(LowerScaling, LongRopeOfNoFrequenciesNeedsNoFactors) {
  Waves row = Sinusoid{scaled(10000, LongRopeScaling{{}, {}, 4096}), Layout::interleaved, OddWidth::zero_column};
  row.axes = {"coordinate"};
  EXPECT_EQ(test::refusal(row, {.width = 1, .context = {.length = 8}}), "nothing");
}

// By turns u = L0 w / 2 pi; the number of pairs in each of the three regions.
std::vector<int> expect_llama3(const Llama3Scaling& by) {
  std::vector<int> regions = {0, 0, 0};
  expect_frequencies(frequencies(scaled(500000, by), row_width), pair_count, [&](Value k) {
    const Value w = unscaled(500000, k), s(by.factor), low(by.low), high(by.high);
    const Value u = Value(static_cast<double>(by.length)) * w / (Value(2) * oracle::pi());
    if (high < u) return ++regions[0], w;
    if (u < low) return ++regions[1], w / s;
    ++regions[2];
    const Value t = (u - low) / (high - low);
    return (Value(1) - t) * w / s + t * w;
  });
  return regions;
}

TEST(LowerScaling, Llama3HasThreeRegionsOrTwo) {
  EXPECT_EQ(expect_llama3({8, 1, 4, 8192}), (std::vector{15, 14, 3}));
  EXPECT_EQ(expect_llama3({32, 1, 4, 8192}), (std::vector{15, 14, 3}));
  EXPECT_EQ(expect_llama3({2.5, 0.3, 700, 8192}), (std::vector{2, 11, 19}));
  EXPECT_EQ(expect_llama3({8, 2, 2, 8192}), (std::vector{16, 16, 0}));
}

TEST(LowerScaling, ProportionalTurnsTheFirstPairsAlone) {
  for (const auto& [part, turned] : {std::pair{0.25, 8}, {1.0, 32}, {0.26, 8}, {0.01, 0}, {0.5, 16}}) {
    expect_frequencies(frequencies(scaled(10000, ProportionalScaling{2.5, part}), row_width), pair_count,
                       [&, turned = turned, at = 0](Value k) mutable {
                         return at++ < turned ? unscaled(10000, k) / Value(2.5) : Value(0);
                       });
  }
}

TEST(LowerScaling, ClippedTapersTheLastPairsByHalfAHannWindow) {
  for (const std::int64_t pairs : {1, 2, 3, 4, 7, 20, 31, 32, 33, 1'000'000}) {
    const std::int64_t c = std::min<std::int64_t>(pairs, pair_count);
    expect_frequencies(frequencies(scaled(10000, ClippedScaling{pairs}), row_width), pair_count,
                       [&, j = c - pair_count](const Value& k) mutable {
                         const Value angle = c == 1 ? Value(0) : oracle::pi() * oracle::whole(j) / oracle::whole(c - 1);
                         const Value taper = j == c - 1 && c > 1 ? Value(0) : (Value(1) + cos(angle)) / Value(2);
                         return j++ < 0 ? unscaled(10000, k) : unscaled(10000, k) * taper;
                       });
  }
}

TEST(LowerScaling, AsksHowLargeFrequenciesAreBeforeTheAngleFactor) {
  Waves waves = Sinusoid{scaled(4, Llama3Scaling{8, 1, 1.5, 10}), Layout::interleaved, OddWidth::refused};
  waves.angle_factor = 0.5;
  EXPECT_EQ(lower_rows(waves, {.width = 4}).ladders[0][0], numerics::Real(0.5)) << "10 / 2 pi > 1.5 turns are kept";
}

// ---- of other ladders ----------------------------------------------------------------------------

TEST(LowerScaling, IsOfEverySlopeSpacingFirstAndUnit) {
  const auto ladder = [](Scaling scaling) {
    Geometric made = {
        100,
        0.5,
        Spacing::over_gaps,
    };
    made.slope = LadderSlope::rising, made.unit = AngleUnit::turns, made.scaling = std::move(scaling);
    return made;
  };
  const Value first = oracle::pi();  // half a turn
  const auto w = [&](Value base, Value k) { return first * pow(base, k / Value(pair_count - 1)); };
  expect_frequencies(frequencies(ladder(LinearScaling{3}), row_width), pair_count,
                     [&](Value k) { return w(100, k) / Value(3); });
  expect_frequencies(frequencies(ladder(BaseScaling{3}), row_width), pair_count, [&](Value k) { return w(300, k); });
  expect_frequencies(frequencies(ladder(NtkScaling{3}), row_width), pair_count,
                     [&](Value k) { return w(ntk_base(100, 3), k); });
  expect_frequencies(frequencies(ladder(ProportionalScaling{3, 0.5}), row_width), pair_count,
                     [&, at = 0](Value k) mutable { return at++ < 16 ? w(100, k) / Value(3) : Value(0); });
  expect_frequencies(frequencies(ladder(Llama3Scaling{3, 8, 8, 1}), row_width), pair_count,
                     [&](Value k) {  // w / 2 pi turns
                       return Value(8) < w(100, k) / (Value(2) * oracle::pi()) ? w(100, k) : w(100, k) / Value(3);
                     });
}

}  // namespace
}  // namespace posenc
