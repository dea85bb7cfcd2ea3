// SPDX-License-Identifier: Apache-2.0
// Pairs of plans that no preset has, against MPFR: two angles a pair, other columns written than read, magnitudes,
// decays, backward. Each coefficient is the real number rounded once to f32.
#include "src/encodings/turns.h"

#include <numeric>

#include "tests/encodings/element_types.h"
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
  float expected(std::size_t k, std::size_t member, bool sine, const std::vector<double>& place, Side side) const {
    const auto& [axis, frequency] = pairs[k].angles[member];
    const oracle::Value x = axis == plan::no_axis ? oracle::Value(0) : angle(axis, frequency, place);
    oracle::Value value = magnitude.value * (sine ? sin(x) : cos(x));
    if (decay) {
      const oracle::Value steps =
          (oracle::Value(place[0]) - oracle::Value(decay->centre)) / oracle::Value(decay->period);
      const oracle::Value by = pow(oracle::Value(decay->factors[k]), steps);
      value = side == Side::query ? value * by : value / by;
    }
    if (sine && turning == plan::Turning::backward) value = oracle::Value(0) - value;
    return static_cast<float>(oracle::rounded(value, oracle::f32));
  }
};

std::vector<Turn> turns_at(const StatedPairs& stated, const std::vector<double>& place, Side side = Side::query) {
  std::vector<Turn> turns(stated.pairs.size());
  EXPECT_TRUE(Turns(stated.made()).at(Place(test::dyadics(place)), side, turns));
  return turns;
}

void expect_turns_rounded_once(const StatedPairs& stated, const std::vector<std::vector<double>>& places) {
  for (const std::vector<double>& place : places) {
    for (const Side side : {Side::query, Side::key}) {
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

// Positions, frequencies and products that f32 holds: only the sines, and their products with 0.3, are rounded.
TEST(Turns, UnderARecipeAreItsWavesTimesTheMagnitudeInF32) {
  const StatedPairs plain = {{{{}, {}}, {{1, 0.5}, {0.25, 3, 0.125}}},
                             {pair(0, 1, {1, 2}), pair(2, 3, {0, 1}, {1, 0}), pair(4, 5, {plan::no_axis, 0}, {0, 0})},
                             6};
  const std::vector<StepLadder> ladders = {{{1, 0.5}}, {{0.25, 3, 0.125}}};
  for (const plan::Turning turning : {plan::Turning::forward, plan::Turning::backward}) {
    StatedPairs stated = plain;
    stated.turning = turning;
    plan::PairPlan scaled = stated.made();
    scaled.magnitude = numerics::Rational(0.3);
    EXPECT_TRUE(steps_serve(scaled));
    for (const std::vector<double>& place : std::vector<std::vector<double>>{{0, 0}, {3, -4}, {4095, 1e6}}) {
      std::vector<Turn> turns(3);
      ASSERT_TRUE(
          Turns(scaled, *recipe("f32-reciprocal").steps, ladders).at(Place(test::dyadics(place)), Side::query, turns));
      for (std::size_t k = 0; k < 3; ++k) {
        const auto expected = [&](std::size_t member, bool sine) {
          return 0.3f * stated.expected(k, member, sine, place, Side::query);
        };
        EXPECT_EQ(turns[k].c0, expected(0, false));
        EXPECT_EQ(turns[k].s0, expected(0, true));
        EXPECT_EQ(turns[k].s1, expected(1, true));
        EXPECT_EQ(turns[k].c1, expected(1, false));
      }
    }
  }
}

TEST(Turns, HaveNoRecipeForSumsDecaysAndOtherAxes) {
  StatedPairs stated = three_pairs();
  EXPECT_TRUE(steps_serve(stated.made()));
  stated.decay = StatedDecay{{0.5, 0.75, 1}, 0, 512};
  EXPECT_FALSE(steps_serve(stated.made()));
  stated.decay = {}, stated.pairs[1].angles[1] = {test::sum, 0};
  EXPECT_FALSE(steps_serve(stated.made()));
  plan::PairPlan affine = three_pairs().made();
  affine.axes[0].step = 2;
  EXPECT_FALSE(steps_serve(affine));
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
      const std::vector<Turn> query = turns_at(stated, {p}), key = turns_at(stated, {p - 64}, Side::key);
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

template <class T>
class TurnsOfEveryType : public testing::Test {};
TYPED_TEST_SUITE(TurnsOfEveryType, test::RotatedTypes);

// Reads (1, 2) and (3, 4), writes (1, 3) and (2, 4); columns 0 and 5 stay.
TYPED_TEST(TurnsOfEveryType, WriteOtherColumnsThanTheyRead) {
  using T = TypeParam;
  StatedPairs stated = three_pairs();
  stated.pairs = {{{1, 2}, {1, 3}, {{{0, 0}, {0, 1}}}}, {{3, 4}, {2, 4}, {{{0, 2}, {0, 2}}}}};
  stated.width = 6;
  const Turns ready(stated.made());
  const std::vector<Turn> turns = turns_at(stated, {17});
  std::vector<T> in;
  for (const float x : {0.5f, 1.25f, -0.75f, 3.5f, -2.0f, 7.0f}) in.push_back(T(x));
  const auto at = [&](std::size_t c) { return static_cast<float>(in[c]); };
  const auto [c0, s0, s1, c1] = turns[0];
  const auto [d0, t0, t1, d1] = turns[1];
  const std::vector<T> expected = {in[0],
                                   T(at(1) * c0 - at(2) * s0),
                                   T(at(3) * d0 - at(4) * t0),
                                   T(at(1) * s1 + at(2) * c1),
                                   T(at(3) * t1 + at(4) * d1),
                                   in[5]};
  std::vector<T> out(6, T(9.0f)), spread(18, T(9.0f)), place = in;
  ready.write_row<T>(turns, Direction::forward, {in.data(), 1}, {out.data(), 1}, 6);
  ready.write_row<T>(turns, Direction::forward, {in.data(), 1}, {spread.data() + 17, -3}, 6);
  ready.write_row<T>(turns, Direction::forward, {place.data(), 1}, {place.data(), 1}, 6);
  for (std::size_t c = 0; c < 6; ++c) {
    EXPECT_EQ(static_cast<float>(out[c]), static_cast<float>(expected[c])) << c;
    EXPECT_EQ(static_cast<float>(place[c]), static_cast<float>(expected[c])) << c << " in place";
    EXPECT_EQ(static_cast<float>(spread[17 - 3 * c]), static_cast<float>(expected[c])) << c << " spread";
  }
  EXPECT_EQ(static_cast<float>(spread[1]), 9.0f);
}

// The sum of y (A x) is that of x (A^T y), whatever x and y are.
TEST(Turns, InverseAreTheTransposedMap) {
  StatedPairs stated = three_pairs();
  stated.pairs = {{{1, 2}, {1, 3}, {{{0, 0}, {0, 1}}}}, {{3, 4}, {2, 4}, {{{0, 2}, {0, 1}}}}};
  stated.magnitude = 0.75;
  const Turns ready(stated.made());
  const std::vector<Turn> turns = turns_at(stated, {17});
  const std::vector<float> x = {3, -1, 4, 1, -5, 9}, y = {2, 7, -1, 8, 2, -8};
  std::vector<float> ax(6), aty(6);
  ready.write_row<float>(turns, Direction::forward, {x.data(), 1}, {ax.data(), 1}, 6);
  ready.write_row<float>(turns, Direction::inverse, {y.data(), 1}, {aty.data(), 1}, 6);
  const auto product = [](const std::vector<float>& a, const std::vector<float>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  EXPECT_NEAR(product(y, ax), product(x, aty), 1e-4);
  EXPECT_EQ(aty[0], y[0]);
}

}  // namespace
}  // namespace posenc
