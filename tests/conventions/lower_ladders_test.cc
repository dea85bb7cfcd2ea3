// SPDX-License-Identifier: Apache-2.0
// Frequencies of lowered ladders, each rounded once to f64, against the formulas by MPFR: kinds, spacings, units.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/conventions/lowered.h"

namespace posenc {
namespace {

using oracle::Value;
using test::expect_frequencies;
using test::frequencies;
using test::refusal;
using Over = Spacing::Over;

constexpr std::pair<AngleUnit, double> units[] = {// of pi radians; 0: radians
                                                  {AngleUnit::radians, 0},
                                                  {AngleUnit::quarter_turns, 0.5},
                                                  {AngleUnit::half_turns, 1},
                                                  {AngleUnit::turns, 2}};
Value in_radians(double of_pi) { return of_pi == 0 ? Value(1) : Value(of_pi) * oracle::pi(); }

// ---- geometric -----------------------------------------------------------------------------------

// D of e_k = k / max(D - shift, least), n frequencies over width d.
double divisor(const Spacing& spacing, double d, double n) {
  const double D = spacing.over == Over::pairs    ? n
                   : spacing.over == Over::one    ? 1
                   : spacing.over == Over::stated ? static_cast<double>(spacing.width) / 2
                                                  : d / 2;
  return std::max(D - spacing.shift, spacing.least == 1 ? 1.0 : -HUGE_VAL);
}

TEST(LowerGeometric, HasTheExponentsOfItsSpacing) {
  for (const std::int64_t d : {1, 2, 3, 7}) {
    for (const Over over : {Over::width, Over::pairs, Over::one, Over::columns, Over::stated}) {
      for (const double shift : {0.0, 0x1p-16, 0.5, 1.0}) {
        for (const std::int64_t least : {0, 1}) {
          const Spacing spacing = {over, over == Over::stated ? 5 : 0, shift, least};
          const std::int64_t n = over == Over::columns ? d : (d + 1) / 2;
          const double gap = divisor(spacing, static_cast<double>(d), static_cast<double>(n));
          Geometric falling = {10000, 1, spacing}, rising = {100, 0.3, spacing};
          rising.slope = LadderSlope::rising;
          SCOPED_TRACE(to_string(Convention(Rotary{falling, Pairing::adjacent})) + " over " + std::to_string(d));
          if (gap <= 0) {
            EXPECT_NE(refusal(falling, d), "nothing");
            continue;
          }
          expect_frequencies(frequencies(falling, d), n,
                             [&](Value k) { return pow(Value(10000), Value(0) - k / Value(gap)); });
          expect_frequencies(frequencies(rising, d), n,
                             [&](Value k) { return Value(0.3) * pow(Value(100), k / Value(gap)); });
        }
      }
    }
  }
}

TEST(LowerGeometric, TakesAnyBaseAndFirstWithinTheRangeOfDouble) {
  for (const double base : {1.0, 0.5, 1e300, 0x1p-1074, 150000.0, 1.0000000000000002}) {
    for (const double first : {1.0, 1000.0, 1e-300, 0x1.fffffffffffffp1023}) {
      if (base < 1 && first > 1000) {
        EXPECT_EQ(refusal(Geometric{base, first, Spacing::over_width}, 10),
                  "[convention] width must give frequencies of at most 2^1024, got 10");
        continue;
      }
      expect_frequencies(frequencies(Geometric{base, first, Spacing::over_width}, 10), 5,
                         [&](Value k) { return Value(first) * pow(Value(base), Value(0) - k / Value(5)); });
    }
  }
}

TEST(LowerGeometric, NamesTheSpacingThatDividesByNothing) {
  EXPECT_EQ(refusal(Geometric{10000, 1, Spacing::over_gaps}, 2),
            "[convention] width must give 2 frequencies or more: the spacing divides by n - 1, got 2");
  EXPECT_EQ(refusal(Geometric{10000, 1, {Over::stated, 1, 0.5, 0}}, 8),
            "[convention] width must give a spacing that divides by more than 0, got 8");
  EXPECT_EQ(refusal(Geometric{10000, 1, {Over::stated, 1, 1, 0}}, 8),
            "[convention] width must give a spacing that divides by more than 0, got 8");
  EXPECT_EQ(refusal(Geometric{10000, 1, {Over::one, 0, 1, 0}}, 8),
            "[convention] width must give a spacing that divides by more than 0, got 8");
}

// ---- the other kinds -----------------------------------------------------------------------------

TEST(LowerListed, IsUsedToTheBitAndMayBeNegative) {
  const std::vector<double> list = {0.1, -3.5, 0, 1e300, 0x1p-1074};
  expect_frequencies(frequencies(Listed{list}, 10), 5, [&, k = 0](Value) mutable { return Value(list[k++]); });
  EXPECT_EQ(refusal(Listed{list}, 8), "[convention] the ladder must list 4 frequencies for width 8, got 5");
}

TEST(LowerLinear, HasBothEnds) {
  for (const auto& [from, to] : {std::pair{1.0, 112.0}, {0.1, -7.3}, {2.5, 2.5}, {-1e300, 1e300}}) {
    expect_frequencies(frequencies(LinearLadder{from, to, AngleUnit::radians}, 14), 7,
                       [&](Value k) { return Value(from) + (Value(to) - Value(from)) * k / Value(6); });
    expect_frequencies(frequencies(LinearLadder{from, to, AngleUnit::radians}, 2), 1,
                       [&](Value) { return Value(from); });
  }
}

// -r e^k with r = ln base / (D - shift)
TEST(LowerRunaway, RunsAway) {
  for (const double base : {10000.0, 0.5, 3.0}) {
    const RunawayLadder gaps = {base, Spacing::over_gaps, AngleUnit::radians};
    expect_frequencies(frequencies(gaps, 16), 8,
                       [&](Value k) { return (Value(0) - log(Value(base))) / Value(7) * exp(k); });
    const RunawayLadder halves = {base, {Over::width, 0, 0.5, 0}, AngleUnit::radians};
    expect_frequencies(frequencies(halves, 7), 4,
                       [&](Value k) { return (Value(0) - log(Value(base))) / Value(3) * exp(k); });
  }
  EXPECT_EQ(refusal(RunawayLadder{10000, Spacing::over_gaps, AngleUnit::radians}, 2),
            "[convention] width must give 2 frequencies or more: the spacing divides by n - 1, got 2");
}

// ---- sizes ---------------------------------------------------------------------------------------

TEST(LowerLadders, HaveNoFrequencyBeyondTheRangeOfDouble) {
  const Spacing steps = {Over::one, 0, 0, 0};
  const auto beyond = [](std::int64_t width) {
    return "[convention] width must give frequencies of at most 2^1024, got " + std::to_string(width);
  };
  Geometric rising = {2, 1, steps};
  rising.slope = LadderSlope::rising;
  EXPECT_EQ(refusal(rising, 2 * 1025), "nothing") << "the last is 2^1024";
  EXPECT_EQ(refusal(rising, 2 * 1026), beyond(2 * 1026));
  rising.first = 0x1p1023;
  EXPECT_EQ(refusal(rising, 4), "nothing");
  EXPECT_EQ(refusal(rising, 6), beyond(6));
  rising.first = 0x1p-1074, rising.base = 10000;
  EXPECT_EQ(refusal(rising, 2 * 158), "nothing");
  EXPECT_EQ(refusal(rising, 2 * 159), beyond(2 * 159));
  EXPECT_EQ(refusal(rising, std::int64_t{1} << 30), beyond(std::int64_t{1} << 30));
  Geometric divided = {10000, 0x1p1000, Spacing::over_width};
  divided.scaling = LinearScaling{0x1p-24};
  EXPECT_EQ(refusal(divided, 8), "nothing") << "the first is 2^1024";
  divided.scaling = LinearScaling{0x1p-25};
  EXPECT_EQ(refusal(divided, 8), beyond(8));
  EXPECT_EQ(refusal(Geometric{0.5, 1, steps}, 2 * 1025), "nothing") << "falling by less than 1";
  EXPECT_EQ(refusal(Geometric{0.5, 1, steps}, 2 * 1026), beyond(2 * 1026));
  EXPECT_EQ(refusal(Geometric{10000, 1, steps}, std::int64_t{1} << 30), "nothing") << "they fall";
  Geometric scaled = {10000, 1, steps};
  scaled.scaling = BaseScaling{0x1p-20};
  EXPECT_EQ(refusal(scaled, 2400), beyond(2400));
}

TEST(LowerRunaway, HasNoFrequencyBeyondTheRangeOfDouble) {
  // ln 10000 / (d / 2) e^(d / 2 - 1) passes 2^1024 = e^709.8 between these.
  const RunawayLadder runaway = {10000, Spacing::over_width, AngleUnit::radians};
  EXPECT_EQ(refusal(runaway, 2 * 715), "nothing");
  EXPECT_EQ(refusal(runaway, 2 * 716), "[convention] width must give frequencies of at most 2^1024, got 1432");
  EXPECT_EQ(refusal(RunawayLadder{0.0001, Spacing::over_width, AngleUnit::radians}, 2 * 716),
            "[convention] width must give frequencies of at most 2^1024, got 1432");
  EXPECT_EQ(refusal(RunawayLadder{1, Spacing::over_width, AngleUnit::radians}, 23000), "nothing") << "all are 0";
}

// ---- units ---------------------------------------------------------------------------------------

TEST(LowerUnits, CountInTurnsOfEveryKind) {
  for (const auto& [unit, of_pi] : units) {
    const Value one = in_radians(of_pi);
    Geometric geometric = {100, 1.5, Spacing::over_gaps};
    Listed listed = {{0.5, -0.25, 0, 7}};
    geometric.unit = listed.unit = unit;
    expect_frequencies(frequencies(geometric, 8), 4,
                       [&](Value k) { return one * Value(1.5) * pow(Value(100), Value(0) - k / Value(3)); });
    expect_frequencies(frequencies(listed, 8), 4,
                       [&, k = 0](Value) mutable { return one * Value(listed.frequencies[k++]); });
    expect_frequencies(frequencies(LinearLadder{1, 112, unit}, 8), 4,
                       [&](Value k) { return one * (Value(1) + Value(111) * k / Value(3)); });
    expect_frequencies(frequencies(RunawayLadder{10000, Spacing::over_gaps, unit}, 8), 4,
                       [&](Value k) { return (Value(0) - one) * log(Value(10000)) / Value(3) * exp(k); });
  }
}

TEST(LowerUnits, AreTimesTheFactorOfEveryAngle) {
  Waves waves = test::one_axis(Listed{{0.1, 3}});
  waves.angle_factor = 0.7;
  expect_frequencies(test::frequencies(waves, 4), 2,
                     [k = 0](Value) mutable { return Value(k++ == 0 ? 0.1 : 3) * Value(0.7); });
}

}  // namespace
}  // namespace posenc
