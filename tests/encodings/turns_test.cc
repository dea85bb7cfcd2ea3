// SPDX-License-Identifier: Apache-2.0
// Pairs of plans that no preset has, against MPFR: two angles a pair, other columns written than read, magnitudes,
// decays, backward. Each coefficient is the real number rounded once to f32.
#include "src/encodings/turns.h"

#include "tests/encodings/stated_plan.h"

namespace posenc {
namespace {

using test::ln;
using test::Number;
using test::pi_times;
using test::power;
using test::StatedAngles;

struct StatedDecay {
  std::vector<double> factors;
  double centre, period;
};
struct StatedPairs : StatedAngles {
  std::vector<plan::Pair> pairs;
  std::int64_t width;
  Number magnitude = 1;
  std::optional<StatedDecay> decay = {};
  plan::Turning turning = plan::Turning::forward;

  plan::PairPlan made() const {
    plan::PairPlan made = {plan_axes(), plan_ladders(), pairs, width, magnitude.real, {}, turning};
    if (decay) made.decay = {{decay->factors.begin(), decay->factors.end()}, decay->centre, decay->period};
    return made;
  }
  // RN to f32 of the magnitude, the decay and the sine or cosine of angle a or b of pair k.
  float expected(std::size_t k, std::size_t member, bool sine, const std::vector<double>& place,
                 RotatedSide side) const {
    const auto& [axis, frequency] = pairs[k].angles[member];
    const oracle::Value x = axis == plan::no_axis ? oracle::Value(0) : angle(axis, frequency, place);
    oracle::Value value = magnitude.value * (sine ? sin(x) : cos(x));
    if (decay) {
      const oracle::Value steps =
          (oracle::Value(place[0]) - oracle::Value(decay->centre)) / oracle::Value(decay->period);
      const oracle::Value by = pow(oracle::Value(decay->factors[k]), steps);
      value = side == RotatedSide::query ? value * by : value / by;
    }
    if (sine && turning == plan::Turning::backward) value = oracle::Value(0) - value;
    return static_cast<float>(oracle::rounded(value, oracle::f32));
  }
};

std::vector<Turn> turns_at(const StatedPairs& stated, const std::vector<double>& place,
                           RotatedSide side = RotatedSide::query) {
  std::vector<Turn> turns(stated.pairs.size());
  EXPECT_TRUE(Turns(stated.made()).at(Place(test::dyadics(place)), side, turns));
  return turns;
}

void expect_turns_rounded_once(const StatedPairs& stated, const std::vector<std::vector<double>>& places) {
  for (const std::vector<double>& place : places) {
    for (const RotatedSide side : {RotatedSide::query, RotatedSide::key}) {
      const std::vector<Turn> turns = turns_at(stated, place, side);
      for (std::size_t k = 0; k < turns.size(); ++k) {
        SCOPED_TRACE("pair " + std::to_string(k) + " at " + testing::PrintToString(place));
        EXPECT_EQ(turns[k].c0, stated.expected(k, 0, false, place, side));
        EXPECT_EQ(turns[k].s0, stated.expected(k, 0, true, place, side));
        EXPECT_EQ(turns[k].s1, stated.expected(k, 1, true, place, side));
        EXPECT_EQ(turns[k].c1, stated.expected(k, 1, false, place, side));
      }
    }
  }
}

plan::Pair pair(std::uint32_t u, std::uint32_t v, plan::Angle a, plan::Angle b) { return {{u, v}, {u, v}, {a, b}}; }
plan::Pair pair(std::uint32_t u, std::uint32_t v, plan::Angle a) { return pair(u, v, a, a); }

const std::vector<Number> three_rungs = {1, power(10000, -1, 3), pi_times(0.3)};
const std::vector<std::vector<double>> far_and_near = {{0},      {1},      {-1},     {4095},
                                                       {-17.25}, {1e-300}, {0x1p53}, {123456789.5}};
StatedPairs three_pairs() {
  return {{{{}}, {three_rungs}}, {pair(0, 1, {0, 0}), pair(2, 3, {0, 1}), pair(4, 5, {0, 2})}, 6};
}

// ---- coefficients --------------------------------------------------------------------------------

TEST(Turns, HaveTheirCosinesAndSinesRoundedOnce) { expect_turns_rounded_once(three_pairs(), far_and_near); }

TEST(Turns, OfTwoAnglesHaveFourCoefficients) {
  StatedPairs stated = three_pairs();
  stated.pairs = {pair(0, 1, {0, 0}, {0, 1}), pair(2, 3, {0, 2}, {0, 0}), pair(4, 5, {plan::no_axis, 0}, {0, 2})};
  expect_turns_rounded_once(stated, far_and_near);
}

TEST(Turns, OfSeveralAxesTakeOneOfThemOrTheirSum) {
  const StatedPairs stated = {{{{}, {0.1, -2}}, {three_rungs, {-0.5, ln(2), pi_times(1)}}},
                              {pair(0, 1, {1, 1}), pair(2, 3, {test::sum, 0}), pair(4, 5, {0, 2}, {test::sum, 2})},
                              6};
  expect_turns_rounded_once(stated, {{0, 0}, {3, -4}, {-0.5, 1e10}, {0x1p53, 1e-300}});
}

TEST(Turns, HaveAMagnitude) {
  StatedPairs stated = three_pairs();
  const Number yarn = Number(1) + Number(numerics::fraction(1, 10), oracle::Value(1) / oracle::Value(10)) * ln(40);
  for (const Number& magnitude : {yarn, Number(0.3), power(2, 1, 2)}) {
    stated.magnitude = magnitude;
    expect_turns_rounded_once(stated, far_and_near);
  }
}

TEST(Turns, HaveARecipeOfSumsOrOfAxesAndOfDecaysWhereItSaysHow) {
  const Steps without = *recipe("f32-exp").steps, with = *recipe("f32-reciprocal").steps;
  StatedPairs stated = three_pairs();
  EXPECT_TRUE(steps_serve(stated.made(), without));
  stated.decay = StatedDecay{{0.5, 0.75, 1}, 0, 512};
  EXPECT_FALSE(steps_serve(stated.made(), without));
  EXPECT_TRUE(steps_serve(stated.made(), with));
  for (plan::Pair& each : stated.pairs) each.angles = {plan::Angle{test::sum, 0}, {test::sum, 0}};
  EXPECT_FALSE(steps_serve(stated.made(), with));
  stated.decay = {};
  EXPECT_TRUE(steps_serve(stated.made(), with));
  stated.pairs[1].angles[1] = {0, 0};
  EXPECT_FALSE(steps_serve(stated.made(), with));
  plan::PairPlan affine = three_pairs().made();
  affine.axes[0].step = 2;
  EXPECT_FALSE(steps_serve(affine, with));
}

TEST(Turns, BackwardAreByTheAnglesNegated) {
  StatedPairs stated = three_pairs();
  stated.turning = plan::Turning::backward;
  expect_turns_rounded_once(stated, far_and_near);
}

// ---- decay ---------------------------------------------------------------------------------------

StatedPairs decaying() {
  StatedPairs stated = three_pairs();
  stated.decay = {{0.28571428571428570, 0.5, 0.9}, 2048, 512};
  return stated;
}

TEST(Turns, OfQueriesDecayAndThoseOfKeysGrowAsMuch) {
  StatedPairs stated = decaying();
  expect_turns_rounded_once(stated, {{0}, {1}, {2048}, {4095}, {-17.25}, {0.5}});
  stated.magnitude = power(2, 1, 2), stated.turning = plan::Turning::backward, stated.decay->period = -0.1;
  expect_turns_rounded_once(stated, {{2048}, {2049.5}, {2040}});
}

// The product of a query's factor at p and a key's at q is z^((p - q) / period), wherever the centre is.
TEST(Turns, DecayByTheDistanceAlone) {
  const auto size = [](const Turn& turn) { return std::hypot(double{turn.c0}, double{turn.s0}); };
  StatedPairs stated = decaying();
  for (const double centre : {0.0, 1000.0, 2048.0}) {
    stated.decay->centre = centre;
    for (const double p : {100.0, 700.0, 3000.0}) {
      const std::vector<Turn> query = turns_at(stated, {p}), key = turns_at(stated, {p - 64}, RotatedSide::key);
      for (std::size_t k = 0; k < 3; ++k) {
        const double z = std::pow(stated.decay->factors[k], 64.0 / 512);
        EXPECT_NEAR(size(query[k]) * size(key[k]) / z, 1, 1e-6) << centre << " " << p << " " << k;
      }
    }
  }
}

TEST(Turns, AtTheCentreDoNotDecay) {
  const std::vector<Turn> with = turns_at(decaying(), {2048}), without = turns_at(three_pairs(), {2048});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(with[k].c0, without[k].c0);
}

// ---- rows ----------------------------------------------------------------------------------------

TEST(Turns, StandInRowsOfTwoOrFourCoefficientsAPair) {
  StatedPairs stated = three_pairs();
  const std::vector<double> list = {5, -1, 7, 2.5};
  const Positions places[] = {Positions::list(view(list.data(), {4}))};
  for (const std::size_t each : {2u, 4u}) {
    if (each == 4) stated.pairs[1].angles[1] = {0, 2};
    constexpr std::int64_t stride = 13;
    std::vector<float> rows(3 * stride, 9.0f);
    EXPECT_TRUE(Turns(stated.made()).write_rows(places, {0, 1, 3}, RotatedSide::query, rows.data(), stride));
    for (std::size_t i = 0; i < 3; ++i) {
      const std::vector<Turn> turns = turns_at(stated, {list[i + 1]});
      const float* row = rows.data() + i * stride;
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(row[k], turns[k].c0);
        EXPECT_EQ(row[3 + k], turns[k].s0);
        EXPECT_EQ(row[6 + k], each == 4 ? turns[k].s1 : 9.0f);
        EXPECT_EQ(row[9 + k], each == 4 ? turns[k].c1 : 9.0f);
      }
      EXPECT_EQ(row[12], 9.0f);
    }
  }
}

}  // namespace
}  // namespace posenc
