// SPDX-License-Identifier: Apache-2.0
// Rotations that depend on a context, against MPFR: dynamic NTK and LongRoPE by the length, xPos by its centre and
// side.
#include <gtest/gtest.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/turned_row.h"

namespace posenc {
namespace {

using oracle::Value;
using test::said;

Rotary scaled_by(const Scaling& scaling, Rotary rotary = test::half_rotary) {
  std::get<Geometric>(rotary.ladders[0]).scaling = scaling;
  return rotary;
}

const std::vector<float> plain_row_of_8 = {0.5f, 1.25f, -0.75f, 3.5f, -2, 7, 0.125f, -1};
constexpr double context_positions[] = {0, 1, -3, 5000, 2.5};

std::vector<float> turned_in(const Convention& convention, const Context& context, double p, RotatedSide side = {}) {
  std::vector<float> x = plain_row_of_8;
  const Rotated one[] = {{view(x.data(), {1, 8}), side}};
  RotaryRows(convention, 8, {.context = context}).rotate(Positions::at(p), one);
  return x;
}

// Halves of 8 columns turned by p w_k and multiplied by m_k.
template <class Frequency, class Magnitude>
std::vector<float> halves_by(double p, const Frequency& w, const Magnitude& m) {
  return test::turned_row(plain_row_of_8, Pairing::split_half, [&](std::size_t k) { return Value(p) * w(k); }, m);
}

Value number(std::size_t k) { return Value(static_cast<double>(k)); }

TEST(RotaryContext, DynamicNtkScalesItsBaseByTheLength) {
  const Rotary rotary = scaled_by(DynamicNtkScaling{4, 2048});
  for (const std::int64_t length : {1, 2048, 2049, 8191}) {
    const auto longest = static_cast<double>(std::max<std::int64_t>(length, 2048));
    // base (s L / M - (s - 1))^(8 / 6)
    const Value base = Value(10000) * pow(Value(4 * longest / 2048 - 3), Value(8) / Value(6));
    for (const double p : context_positions) {
      const auto w = [&](std::size_t k) { return pow(base, Value(-2) * number(k) / Value(8)); };
      EXPECT_EQ(turned_in(rotary, {.length = length}, p), halves_by(p, w, test::no_magnitude)) << length << " " << p;
    }
  }
}

TEST(RotaryContext, LongRopeTakesTheListOfItsLength) {
  Rotary rotary = scaled_by(LongRopeScaling{{1, 1.5, 2, 3}, {1, 4, 16, 64.25}, 4096});
  rotary.magnitude = LongRopeMagnitude{32, 4096};
  const Value m = sqrt(Value(1) + log(Value(32)) / log(Value(4096)));
  for (const auto& [length, factors] :
       {std::pair{4096, std::vector<double>{1, 1.5, 2, 3}}, {4097, {1, 4, 16, 64.25}}}) {
    for (const double p : context_positions) {
      const auto w = [&](std::size_t k) {
        return pow(Value(10000), Value(-2) * number(k) / Value(8)) / Value(factors[k]);
      };
      EXPECT_EQ(turned_in(rotary, {.length = length}, p), halves_by(p, w, [&](std::size_t) { return m; }))
          << length << " " << p;
    }
  }
}

TEST(RotaryContext, ShortLongShortGivesTheFirstAnswerAgain) {
  const Rotary rotary = scaled_by(DynamicNtkScaling{4, 2048});
  const std::vector<float> first = turned_in(rotary, {.length = 100}, 77);
  EXPECT_NE(turned_in(rotary, {.length = 100000}, 77), first);
  EXPECT_EQ(turned_in(rotary, {.length = 100}, 77), first);
  EXPECT_EQ(turned_in(rotary, {.length = 2048}, 77), first);  // the same regime
}

// query: z_k^((p - centre) / period), key: its inverse
TEST(RotaryContext, XPosDecaysFromItsCentre) {
  Rotary rotary = test::half_rotary;
  rotary.decay = PairDecay{0.4, 512};
  const auto w = [](std::size_t k) { return pow(Value(10000), Value(-2) * number(k) / Value(8)); };
  for (const double centre : {0.0, 25.0, -3.5}) {
    for (const double p : context_positions) {
      const auto decay = [&](double sign) {
        return [&, sign](std::size_t k) {
          const Value z = (Value(2) * number(k) / Value(8) + Value(0.4)) / (Value(1) + Value(0.4));
          return pow(z, Value(sign) * (Value(p) - Value(centre)) / Value(512));
        };
      };
      EXPECT_EQ(turned_in(rotary, {.centre = centre}, p, RotatedSide::query), halves_by(p, w, decay(1)))
          << centre << " " << p;
      EXPECT_EQ(turned_in(rotary, {.centre = centre}, p, RotatedSide::key), halves_by(p, w, decay(-1)))
          << centre << " " << p;
    }
  }
}

TEST(RotaryContext, QueriesAndKeysOfOneCallAreTheirOwn) {
  Rotary rotary = test::adjacent_rotary;
  rotary.decay = PairDecay{0.4, 512};
  std::vector<float> q = plain_row_of_8, k = plain_row_of_8;
  const Rotated both[] = {{view(q.data(), {1, 8}), RotatedSide::query}, {view(k.data(), {1, 8}), RotatedSide::key}};
  RotaryRows(rotary, 8, {.context = {.centre = 7}}).rotate(Positions::at(100), both);
  EXPECT_EQ(q, turned_in(rotary, {.centre = 7}, 100, RotatedSide::query));
  EXPECT_EQ(k, turned_in(rotary, {.centre = 7}, 100, RotatedSide::key));
  EXPECT_NE(q, k);
}

TEST(RotaryContext, IsStatedWhereTheConventionDependsOnIt) {
  EXPECT_EQ(said(RotaryRows::check(scaled_by(DynamicNtkScaling{4, 2048}), 8)),
            "[convention] length must be stated: the scaling depends on it, got none");
  EXPECT_EQ(said(RotaryRows::check(test::half_rotary, 8, {.context = {.length = -4}})),
            "[context] length must be >= 0, got -4");
  Rotary rotary = test::half_rotary;
  rotary.decay = PairDecay{0.4, 512};
  EXPECT_EQ(said(RotaryRows::check(rotary, 8)),
            "[convention] centre must be stated: the decay counts from it, got none");
  const RotaryRows rows(rotary, 8, {.context = {.centre = 0}});
  std::vector<float> x = plain_row_of_8;
  const View both = view(x.data(), {1, 8});
  EXPECT_EQ(said(rows.check_rotate(Positions::at(1), both, both)),
            "[rotary] a tensor must be stated to hold queries or keys: the convention has a decay, got neither");
  rotary.stored = StoredAs::complex;
  EXPECT_EQ(said(RotaryCache::check(rotary, 8, {.context = {.centre = 0}})),
            "[rotary_cache] the convention must have no decay: queries and keys differ, got xpos");
}

TEST(RotaryContext, CachesHaveTheLadderOfTheirLength) {
  Rotary rotary = scaled_by(LongRopeScaling{{1, 1.5, 2, 3}, {1, 4, 16, 64}, 4096});
  rotary.stored = StoredAs::sine_cosine;
  const std::vector<double> w = RotaryCache(scaled_by(Nothing{}, rotary), 8).frequencies();
  const std::vector<double> at_long = RotaryCache(rotary, 8, {.context = {.length = 5000}}).frequencies();
  const double factors[] = {1, 4, 16, 64};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(at_long[k], w[k] / factors[k], 1e-17) << k;
  EXPECT_EQ(RotaryCache(rotary, 8, {.context = {.length = 4096}}).frequencies()[0], 1);
}

}  // namespace
}  // namespace posenc
