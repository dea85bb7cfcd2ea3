// SPDX-License-Identifier: Apache-2.0
// Rows of conventions that have no short form, through the public calls, against MPFR; and those that are refused.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/sinusoid.h>

#include <functional>

#include "tests/encodings/forms.h"
#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/numerics/formats.h"

namespace posenc {
namespace {

using oracle::Value;
using test::listed;
using test::paper;
using test::paper_waves;
using test::said;
using test::wave;

// What stands in column c at position p.
using Entry = std::function<Value(double p, std::size_t c)>;

template <class T>
void expect_rows_of(const Rows& rows, const Positions& positions, const std::vector<double>& p, const Entry& entry) {
  std::vector<T> out(p.size() * static_cast<std::size_t>(rows.width()));
  rows.write(positions, view(out.data(), {std::ssize(p), rows.width()}));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(rows.width()), c = i % static_cast<std::size_t>(rows.width());
    EXPECT_EQ(numerics::widened(out[i]), oracle::rounded(entry(p[row], c), numerics::format<T>))
        << "column " << c << " at " << p[row];
  }
}

// At a few positions of every kind, and at a range that is long enough for strips.
void expect_rows(const Waves& waves, std::int64_t dim, const Entry& entry) {
  ASSERT_EQ(said(Rows::check(waves, dim)), "nothing");
  const Rows rows(waves, dim);
  ASSERT_EQ(rows.width(), columns(waves, dim));
  const std::vector<double> some = {0, 1, -1, 2.5, -17.25, 4095, 1e-300, 0x1p53};
  const Positions list = Positions::list(view(some.data(), {std::ssize(some)}));
  expect_rows_of<float>(rows, list, some, entry);
  expect_rows_of<double>(rows, list, some, entry);
  expect_rows_of<half>(rows, list, some, entry);
  expect_rows_of<bfloat16>(rows, list, some, entry);
  std::vector<double> many;
  for (int p = -3; p < 37; ++p) many.push_back(p);
  expect_rows_of<float>(rows, Positions::range(-3, 40), many, entry);
}

TEST(Forms, PhasesAndAScaleOfSignedFrequenciesInHalfTurns) {
  const std::vector<double> w = {0.5, -0.3, 3}, phases = {0.1, -7.5, 0.25};
  Waves waves = paper_waves;
  waves.ladders = {listed(w, AngleUnit::half_turns)}, waves.phases = phases, waves.scale = WidthScale::sqrt_2_over_d;
  expect_rows(waves, 6, [&](double p, std::size_t c) {
    const Value angle = (Value(p) * Value(w[c / 2]) + Value(phases[c / 2])) * oracle::pi();
    return sqrt(Value(2) / Value(6)) * wave(c % 2, angle);
  });
  waves.parts = WaveParts::cosine, waves.scale = -0.7;  // EsmFold2 has cosines alone
  expect_rows(waves, 6, [&](double p, std::size_t c) {
    return Value(-0.7) * cos((Value(p) * Value(w[c]) + Value(phases[c])) * oracle::pi());
  });
}

TEST(Forms, AScaleAlone) {
  Waves waves = paper_waves;
  for (const OutputScale& scale : {OutputScale(WidthScale::one_over_sqrt_d), OutputScale(-0.1)}) {
    waves.scale = scale;
    const Value by = std::holds_alternative<double>(scale) ? Value(-0.1) : Value(1) / sqrt(Value(6));
    expect_rows(waves, 6, [&](double p, std::size_t c) {
      return by * wave(c % 2, Value(p) * pow(Value(10000), Value(0) - Value(static_cast<double>(c / 2)) / Value(3)));
    });
  }
}

TEST(Forms, AreAddedAsTheirRowsAre) {
  Waves waves = paper_waves;
  waves.scale = 0.1, waves.lead = Lead::coordinates;
  std::vector<float> rows(40 * 7), sums(rows.size(), 0.3f);
  const View out = view(sums.data(), {40, 7});
  sinusoid(waves, Positions::range(-3, 40), view(rows.data(), {40, 7}));
  add_sinusoid(waves, Positions::range(-3, 40), out, out);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(sums[i], 0.3f + rows[i]) << i;
}

TEST(Forms, SignedFrequenciesThatKernelsMake) {
  const std::vector<double> w = {-0.5, 0.3, -3, 0};
  Waves waves = paper_waves;
  waves.scope = Scope::row;  // no short form, which refuses frequencies below 0
  for (const auto& [unit, of] :
       {std::pair{AngleUnit::radians, Value(1)}, {AngleUnit::quarter_turns, oracle::pi() / Value(2)}}) {
    waves.ladders = {listed(w, unit)};
    expect_rows(waves, 8,
                [&, of = of](double p, std::size_t c) { return wave(c % 2, Value(p) * Value(w[c / 2]) * of); });
  }
}

// Perceiver's 1 to resolution / 2 in half turns, behind the coordinate
TEST(Forms, LinearFrequenciesBehindTheCoordinate) {
  Waves waves = paper_waves;
  waves.ladders = {LinearLadder{1, 112, AngleUnit::half_turns}}, waves.lead = Lead::coordinates;
  waves.layout = Layout::sine_first;
  expect_rows(waves, 9, [](double p, std::size_t c) {
    const Value w = Value(1) + Value(111) * Value(static_cast<double>((c - 1) % 4)) / Value(3);
    return c == 0 ? Value(p) : wave((c - 1) / 4, Value(p) * w * oracle::pi());
  });
}

// NeRF: 2^k, the sine and the cosine of a frequency side by side
TEST(Forms, RisingFrequenciesPeriodByPeriod) {
  Geometric doubling = {2, 1, {Spacing::Over::one, 0, 0, 0}};
  doubling.slope = LadderSlope::rising;
  Waves waves = paper_waves;
  waves.ladders = {doubling}, waves.layout = Layout::cosine_first;
  waves.scope = Scope::period, waves.order = PairOrder::rung_major;
  expect_rows(waves, 8, [](double p, std::size_t c) {
    return wave(1 - c % 2, Value(p) * pow(Value(2), Value(static_cast<double>(c / 2))));
  });
}

TEST(Forms, RunawayFrequenciesAndARepeatedCosine) {
  Waves waves = paper_waves;
  waves.ladders = {RunawayLadder{10000, Spacing::over_gaps, AngleUnit::radians}};
  waves.odd_width = OddWidth::repeated_cosine;
  expect_rows(waves, 7, [](double p, std::size_t c) {
    const Value rate = Value(0) - log(Value(10000)) / Value(2);
    return wave(c == 6 ? 1 : c % 2, Value(p) * rate * exp(Value(c == 6 ? 0 : static_cast<double>(c / 2))));
  });
}

TEST(Forms, ColumnsThatCountTheirOwnFrequenciesTimesAFactor) {
  Waves waves = paper_waves;
  waves.ladders = {Geometric{10000, 1, {Spacing::Over::columns, 0, 0, 0}}};
  waves.angle_factor = 0.7, waves.odd_width = OddWidth::lone_sine;
  expect_rows(waves, 5, [](double p, std::size_t c) {
    return wave(c % 2, Value(0.7) * Value(p) * pow(Value(10000), Value(-2) * Value(static_cast<double>(c)) / Value(5)));
  });
}

// ---- what is refused -----------------------------------------------------------------------------

TEST(Forms, OfRowsThatAreRefused) {
  const auto refused = [](void (*change)(Waves&)) {
    Waves waves = paper_waves;
    change(waves);
    return said(Rows::check(waves, 8));
  };
  EXPECT_EQ(refused([](Waves& w) { w.scale = LearnedScale{1}; }),
            "[convention] learned must be stated: the scale is a factor of the caller's, got none");
  EXPECT_EQ(refused([](Waves& w) { w.normalise = Normalise::tenth_of_deviation; }),
            "[convention] normalise must be none: a mean over the whole table is not made, got tenth_of_deviation");
  EXPECT_EQ(refused([](Waves& w) { std::get<Geometric>(w.ladders[0]).scaling = DynamicNtkScaling{2, 4}; }),
            "[convention] length must be stated: the scaling depends on it, got none");
}

TEST(Forms, ThatNoRecipeIsSaidFor) {
  Waves waves = paper_waves;
  std::get<Geometric>(waves.ladders[0]).scaling = LinearScaling{2};
  EXPECT_EQ(
      said(Rows::check(waves, 8, {.recipe = recipe("f32-exp")})),
      "[convention] the recipe must be exact for a scaled ladder, or f32-reciprocal, f32-reciprocal-unit-position, "
      "f32-reciprocal-unit-angle or 3 more, got f32-exp");
  waves.ladders[0] = Geometric{10000, 1, Spacing::over_width};
  std::get<Geometric>(waves.ladders[0]).slope = LadderSlope::rising;
  EXPECT_EQ(said(Rows::check(waves, 8, {.recipe = recipe("f32-exp")})),
            "[convention] the recipe must be exact for a ladder that rises, or f32-power, f32-power-of-linspace, "
            "f32-power-of-linspace-fused or 1 more, got f32-exp");
}

}  // namespace
}  // namespace posenc
