// SPDX-License-Identifier: Apache-2.0
// Rotations of f64: their coefficients against MPFR, their products against plain loops, their columns against f32.
#include <gtest/gtest.h>
#include <mpfr.h>
#include <posenc/rerotate.h>
#include <posenc/rotary_cache.h>

#include <cmath>

#include "tests/encodings/rotations.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::adjacent_pairs;
using test::half_pairs;

// RN of the cosine and the sine of p 10000^(-2 k / d) to f64.
std::pair<double, double> true_wave(std::int64_t p, int k, int d) {
  mpfr_t angle, wave;
  mpfr_init2(angle, 400), mpfr_init2(wave, 53);
  mpfr_set_d(angle, 10000, MPFR_RNDN);
  mpfr_log(angle, angle, MPFR_RNDN);
  mpfr_mul_si(angle, angle, -2 * k, MPFR_RNDN);
  mpfr_div_si(angle, angle, d, MPFR_RNDN);
  mpfr_exp(angle, angle, MPFR_RNDN);
  mpfr_mul_si(angle, angle, p, MPFR_RNDN);
  std::pair<double, double> both;
  mpfr_cos(wave, angle, MPFR_RNDN), both.first = mpfr_get_d(wave, MPFR_RNDN);
  mpfr_sin(wave, angle, MPFR_RNDN), both.second = mpfr_get_d(wave, MPFR_RNDN);
  mpfr_clears(angle, wave, nullptr);
  return both;
}

TEST(WideRotation, HasCosinesAndSinesThatAreRoundedOnce) {
  constexpr int d = 32;
  for (const std::int64_t p : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-7}, std::int64_t{131071}, INT64_MAX}) {
    std::vector<double> row(d);
    std::fill_n(row.begin(), d / 2, 1.0);
    rotary(half_pairs, Positions::at(p), view(row.data(), {1, d}));
    for (int k = 0; k < d / 2; ++k) {
      const auto [cosine, sine] = true_wave(p, k, d);
      const auto at = static_cast<std::size_t>(k);
      ASSERT_EQ(row[at], cosine) << p << " " << k;
      ASSERT_EQ(row[at + d / 2], sine) << p << " " << k;
    }
  }
}

TEST(WideRotation, RoundsEachProductAndEachSum) {
  constexpr std::int64_t rows = 37, d = 24;
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    const bool adjacent = test::pairing_of(convention) == reference::Pairing::adjacent;
    std::vector<double> in(rows * d), out(rows * d), cosine(rows * d), sine(rows * d);
    std::mt19937_64 random(7);
    for (double& x : in) x = std::ldexp(static_cast<double>(random()), -63) - 1;
    const RotaryCache cache(with_field(convention, "stored", "halves_twice"), d);
    cache.write("cos", Positions::range(-5, rows), view(cosine.data(), {rows, d}));
    cache.write("sin", Positions::range(-5, rows), view(sine.data(), {rows, d}));
    for (const Direction direction : test::directions) {
      const RotaryRows turns(convention, d);
      turns.rotate(Positions::range(-5, rows), view(std::as_const(in).data(), {rows, d}), view(out.data(), {rows, d}),
                   direction);
      for (std::int64_t i = 0; i < rows * d / 2; ++i) {
        const std::int64_t t = i / (d / 2), k = i % (d / 2);
        const auto first = static_cast<std::size_t>(t * d + (adjacent ? 2 * k : k));
        const std::size_t second = first + (adjacent ? 1 : d / 2);
        const double c = cosine[static_cast<std::size_t>(t * d + k)];
        const double s = (direction == Direction::forward ? 1 : -1) * sine[static_cast<std::size_t>(t * d + k)];
        ASSERT_EQ(out[first], in[first] * c - in[second] * s) << t << " " << k;
        ASSERT_EQ(out[second], in[first] * s + in[second] * c) << t << " " << k;
      }
    }
  }
}

// The first width that a preset takes, of those there are.
std::optional<std::int64_t> width_of(const Convention& convention, const Context& context) {
  for (const std::int64_t head : {128, 64, 96, 48, 256, 192, 80, 8, 16, 24, 40}) {
    if (!RotaryRows::check(convention, head, {.context = context})) return head;
  }
  return std::nullopt;
}

// Of the same elements it differs from f32 by three roundings of f32 of a pair's size, which is at most 4 2^0.5 times a
// magnitude below 2.
TEST(WideRotation, TurnsTheColumnsThatF32DoesInEveryPreset) {
  constexpr std::int64_t rows = 19;
  int tried = 0;
  for (const Preset& preset : presets()) {
    const Context context = {.length = 1000, .centre = 0.0, .learned = {}};
    const auto head = check_use("test", ConventionUse::rotations, preset.convention)
                          ? std::nullopt
                          : width_of(preset.convention, context);
    if (!head || std::get<Rotary>(preset.convention).decay.index() > 1) continue;
    const RotaryRows turns(preset.convention, *head, {.context = context});
    const std::vector<Positions> places(turns.axes().size(), Positions::range(3, rows));
    const auto count = static_cast<std::size_t>(2 * rows * *head);
    for (const Direction direction : test::directions) {
      std::vector<float> narrow = test::random_elements<float>(count, 5);
      std::vector<double> wide(narrow.begin(), narrow.end());
      const Rotated both[] = {{view(narrow.data(), {2, rows, *head}), TokenAxis::before_columns},
                              {view(wide.data(), {2, rows, *head}), TokenAxis::before_columns}};
      turns.rotate(places, both, direction);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(narrow[i], wide[i], 3 * 0x1p-24 * 4 * std::sqrt(2) * 2) << preset.name << " " << i;
      }
    }
    ++tried;
  }
  EXPECT_GT(tried, 60);
}

TEST(WideRotation, TakesStridesListsAndHeadsBehindTokens) {
  constexpr std::int64_t B = 2, L = 20, H = 3, d = 8;
  std::vector<double> in(B * L * H * d), together(in.size()), apart(2 * in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<double>(i) / 64 - 7;
  std::vector<std::int64_t> places(B * L);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i * i % 101);
  const Positions positions = Positions::list(view(std::as_const(places).data(), {B, L}));
  const ConstView from = view(std::as_const(in).data(), {B, L, H, d});
  rotary(half_pairs, positions, {from, view(together.data(), {B, L, H, d}), TokenAxis::before_heads});
  View spread = view(apart.data(), {B, L, H, d});
  for (std::size_t axis = 0; axis < 4; ++axis) spread.strides[axis] *= 2;
  rotary(half_pairs, positions, Rotated{from.transposed(1, 2), spread.transposed(1, 2), TokenAxis::before_columns});
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(apart[2 * i], together[i]) << i;
  for (std::int64_t b = 0; b < B; ++b) {
    for (std::int64_t t = 0; t < L; ++t) {
      const std::int64_t at = (b * L + t) * H * d;
      std::vector<double> step(in.begin() + at, in.begin() + at + H * d);
      rotary(half_pairs, Positions::at(places[static_cast<std::size_t>(b * L + t)]),
             Rotated{view(step.data(), {H, 1, d}), TokenAxis::before_columns});
      ASSERT_TRUE(std::equal(step.begin(), step.end(), together.begin() + at)) << b << " " << t;
    }
  }
}

TEST(WideRotation, MovesKeys) {
  std::vector<double> keys(12 * 16), fresh;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = std::sin(static_cast<double>(i));
  fresh = keys;
  const Positions far = Positions::range(5000, 12), near = Positions::range(3, 12);
  rotary(half_pairs, near, view(fresh.data(), {12, 16}));
  rotary(half_pairs, far, view(keys.data(), {12, 16}));
  rerotate(half_pairs, {{&far, 1}}, {{&near, 1}}, Rotated{view(keys.data(), {12, 16})});
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_NEAR(keys[i], fresh[i], 9 * 0x1p-53 * 2);
}

TEST(WideRotation, IsRefusedWherePairsDecay) {
  std::vector<double> x(8);
  const RotaryRows turns(preset("xpos-lucid").convention, 8, {.context = {.length = 0, .centre = 0.0, .learned = {}}});
  const Rotated one[] = {{view(x.data(), {1, 8}), RotatedSide::query}};
  EXPECT_EQ(test::said(turns.check_rotate(Positions::at(3), one)),
            "[rotary] out must be f32, f16 or bf16 where pairs decay, got f64");
}

}  // namespace
}  // namespace posenc
