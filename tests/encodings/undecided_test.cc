// SPDX-License-Identifier: Apache-2.0
// What stays undecided after the last number of bits is a problem of its call, wherever in a plan it stands.
#include "src/encodings/undecided.h"

#include <gtest/gtest.h>

#include "src/conventions/slope.h"
#include "src/encodings/axis_rows.h"
#include "src/encodings/recipe_waves.h"

namespace posenc {
namespace {

using numerics::Real;
using plan::Column;
using plan::Kind;

// Sine and cosine of each frequency.
plan::RowPlan waves(std::vector<Real> frequencies) {
  plan::RowPlan plan;
  plan.axes = {{}};
  for (std::uint32_t k = 0; k < frequencies.size(); ++k) {
    plan.columns.push_back({Kind::wave, 0, 0, k});
    plan.columns.push_back({Kind::wave, 1, 0, k});
  }
  plan.ladders = {{std::move(frequencies)}};
  return plan;
}

TEST(Undecided, AFrequencyOfWhichNothingIsKnownIsAProblemOfItsCall) {
  const AxisRows ready(waves({1, numerics::undecided()}));
  float row[4] = {};
  EXPECT_FALSE(ready.write_row(numerics::dyadic(3.0), row));
  EXPECT_EQ(row[0], static_cast<float>(0.14112000805986722)) << "the others are settled";
  const std::optional<Problem> problem = undecided_unless(false, "sinusoid");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message(),
            "[sinusoid] every entry must be told from a rounding boundary by 2^15 bits, got one that is not");
}

TEST(Undecided, SoIsAPhaseOrAScale) {
  plan::RowPlan plan = waves({1});
  plan.phases = {numerics::undecided()};
  double row[2] = {};
  EXPECT_FALSE(AxisRows(plan).write_row(numerics::dyadic(3.0), row));
  plan.phases = {Real(1)};
  EXPECT_TRUE(AxisRows(plan).write_row(numerics::dyadic(3.0), row));
  plan.scale = numerics::undecided();
  EXPECT_FALSE(AxisRows(plan).write_row(numerics::dyadic(3.0), row));
}

// 3^(2^17 + 1/2) has more bits of whole turns than are asked for.
TEST(Undecided, SoIsAnAngleOfTooManyTurns) {
  const AxisRows ready(waves({numerics::power(3, numerics::Rational(0x1p17) + numerics::fraction(1, 2))}));
  float row[2] = {};
  EXPECT_FALSE(ready.write_row(numerics::dyadic(1.0), row));
  EXPECT_TRUE(ready.write_row(numerics::dyadic(0.0), row));
}

TEST(Undecided, SoIsASlopeAndALadderOfARecipe) {
  EXPECT_FALSE(Slope(numerics::undecided()).rounded<float>());
  EXPECT_FALSE(Slope(numerics::undecided()).times_distance<half>(numerics::dyadic(1.0), numerics::dyadic(3.0)));
  const StepLadder ladder = {.entries = {1}, .decided = false};
  float row[2] = {};
  EXPECT_FALSE(recipe_waves<float>(*recipe("f32-exp").steps, ladder, numerics::dyadic(1.0), {row, row + 1, 1, 1, 1}));
}

}  // namespace
}  // namespace posenc
