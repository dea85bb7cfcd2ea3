// SPDX-License-Identifier: Apache-2.0
// Ladders: what a constructor states of the other fields, the names of spacings, and the rules of scalings.
#include <gtest/gtest.h>
#include <posenc/convention.h>

#include <cmath>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

std::string said_of_ladder(const Ladder& ladder) {
  return test::said(check_convention(Rotary{ladder, Pairing::adjacent}));
}
std::string said_of_scaling(const Scaling& scaling) {
  Geometric ladder = {10000, 1, Spacing::over_width};
  ladder.scaling = scaling;
  return said_of_ladder(ladder);
}

TEST(Geometric, OfThreeFieldsFallsUnscaledInRadians) {
  constexpr Geometric made = {10000, 1, Spacing::over_width};
  EXPECT_EQ(made.slope, LadderSlope::falling);
  EXPECT_EQ(made.unit, AngleUnit::radians);
  EXPECT_EQ(made.scaling, Scaling(Nothing{}));
  EXPECT_EQ(Listed({1, 2}).unit, AngleUnit::radians);
}

TEST(Spacings, HaveTheirNamesAndNoneHasNone) {
  EXPECT_EQ(to_string(Spacing::over_gaps_or_one), "over_gaps_or_one");
  EXPECT_EQ(to_string(Spacing{}), "no spacing");
  EXPECT_EQ(to_string(Spacing{Spacing::Over::pairs, 0, 0.5, 0}), "a spacing");
}

TEST(Spacings, StateAWidthWhereTheyAreOverAStatedOne) {
  const auto over = [](Spacing spacing) { return said_of_ladder(Ladder(Geometric{10000, 1, spacing})); };
  EXPECT_EQ(over({Spacing::Over::stated, 64, 0, 0}), "nothing");
  EXPECT_EQ(over({Spacing::Over::stated, 0, 0, 0}),
            "[convention] ladders.0.spacing.width must be > 0 over a stated width, got 0");
  EXPECT_EQ(over({Spacing::Over::pairs, 64, 0, 0}),
            "[convention] ladders.0.spacing.width must be 0 but over a stated width, got 64");
  EXPECT_EQ(over({Spacing::Over::pairs, 0, 0.1, 0}),
            "[convention] ladders.0.spacing.shift must be a multiple of 2^-16 from 0 to 1, got 0.1");
  EXPECT_EQ(over({Spacing::Over::pairs, 0, 0, 2}), "[convention] ladders.0.spacing.least must be 0 or 1, got 2");
  EXPECT_EQ(over({static_cast<Spacing::Over>(9), 0, 0, 0}),
            "[convention] ladders.0.spacing.over must be stated, got none");
}

TEST(Scalings, KeepTheirRules) {
  const std::string at = "[convention] ladders.0.scaling";
  EXPECT_EQ(said_of_scaling(Scaling{}), at + " must be stated, got none");
  EXPECT_EQ(said_of_scaling(Scaling(LinearScaling{0})), at + ".factor must be finite and > 0, got 0");
  EXPECT_EQ(said_of_scaling(Scaling(DynamicNtkScaling{2, 0})), at + ".length must be >= 1, got 0");
  EXPECT_EQ(said_of_scaling(Scaling(YarnScaling{32, 4096, 32, 1, {}})), at + ".truncate must be stated, got none");
  EXPECT_EQ(said_of_scaling(Scaling(YarnScaling{32, 4096, 32, 1, Truncate::whole})), "nothing");
  EXPECT_EQ(said_of_scaling(Scaling(LongRopeScaling{{1, 2}, {1}, 4096})),
            at + ".long_factors must be as many as short_factors, 2, got 1");
  EXPECT_EQ(said_of_scaling(Scaling(LongRopeScaling{{1, -2}, {1, 2}, 4096})),
            at + ".short_factors must be finite and > 0, got -2 at [1]");
  EXPECT_EQ(said_of_scaling(Scaling(Llama3Scaling{8, 4, 1, 8192})), at + ".low must be at most high, 1, got 4");
  EXPECT_EQ(said_of_scaling(Scaling(Llama3Scaling{8, 1, 1, 8192})), "nothing");
  EXPECT_EQ(said_of_scaling(Scaling(ProportionalScaling{1, 1.5})), at + ".part must be > 0 and at most 1, got 1.5");
  EXPECT_EQ(said_of_scaling(Scaling(ClippedScaling{0})), at + ".pairs must be >= 1, got 0");
}

TEST(Ladders, KeepTheirRules) {
  EXPECT_EQ(said_of_ladder(Ladder(LinearLadder{1, HUGE_VAL, AngleUnit::half_turns})),
            "[convention] ladders.0.to must be finite, got inf");
  EXPECT_EQ(said_of_ladder(Ladder(RunawayLadder{0, Spacing::over_gaps, AngleUnit::radians})),
            "[convention] ladders.0.base must be finite and > 0, got 0");
  Listed turns = {{-0.5, 0, 16}};
  turns.unit = AngleUnit::turns;
  EXPECT_EQ(said_of_ladder(Ladder(turns)), "nothing");
  EXPECT_EQ(said_of_ladder(Ladder(Listed{{-0.5}})),
            "[convention] frequencies must be finite and >= 0, got -0.5 at [0]");
}

}  // namespace
}  // namespace posenc
