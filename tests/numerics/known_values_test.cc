// SPDX-License-Identifier: Apache-2.0
// Sines and cosines that are known exactly: whole quarter turns, halves and roots, zeros with their signs, ties.
#include <gtest/gtest.h>

#include <cmath>

#include "src/numerics/sine_cosine.h"
#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

const Real half_turn = pi_to_the(1);
constexpr std::int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -3, -2, -1, 0, 1, 2, 3, INT64_MAX - 1, INT64_MAX};

Dyadic at(std::int64_t p) { return dyadic(p); }

bool negative_zero(double x) { return x == 0 && std::signbit(x); }

template <class T>
void expect_half_turns() {
  const Turn w = *turn(half_turn), quarter = *turn(half_turn * Real(fraction(1, 2)));
  for (const std::int64_t p : ends) {
    const std::optional<Pair<T>> pair = exact_sine_cosine<T>(half_turn, w, at(p));
    ASSERT_TRUE(pair) << p;
    EXPECT_EQ(widened(pair->sine), 0);
    EXPECT_EQ(negative_zero(widened(pair->sine)), p < 0) << "sin(pi p) is a zero of the position's sign, p = " << p;
    EXPECT_EQ(widened(pair->cosine), p % 2 == 0 ? 1 : -1);
    const std::optional<Pair<T>> quarters = exact_sine_cosine<T>(half_turn * Real(fraction(1, 2)), quarter, at(p));
    ASSERT_TRUE(quarters);
    const auto turned = static_cast<std::uint64_t>(p) % 4;
    const double sines[] = {0, 1, 0, -1};
    EXPECT_EQ(widened(quarters->sine), sines[turned]) << p;
    EXPECT_EQ(widened(quarters->cosine), sines[(turned + 1) % 4]) << p;
    EXPECT_FALSE(negative_zero(widened(quarters->cosine))) << "a cosine of 0 is +0";
  }
}

TEST(KnownValues, F64HalfTurnsAndQuartersAtEveryEndOfInt64) { expect_half_turns<double>(); }
TEST(KnownValues, F32HalfTurnsAndQuartersAtEveryEndOfInt64) { expect_half_turns<float>(); }
TEST(KnownValues, F16HalfTurnsAndQuartersAtEveryEndOfInt64) { expect_half_turns<half>(); }
TEST(KnownValues, Bf16HalfTurnsAndQuartersAtEveryEndOfInt64) { expect_half_turns<bfloat16>(); }

TEST(KnownValues, SquaresOfSinesThatAreRational) {
  const oracle::Value pi = oracle::pi();
  for (std::int64_t t = -50; t <= 50; ++t) {  // twelfths of a half turn
    const Real x = half_turn * Real(fraction(t, 12));
    const bool known = t % 2 == 0 || t % 3 == 0;
    for (const Wave wave : {Wave::sine, Wave::cosine}) {
      const std::optional<Real> value = known_wave(wave, x);
      EXPECT_EQ(value.has_value(), known) << t;
      oracle::Value angle = pi * oracle::Value(static_cast<double>(t)) / oracle::Value(12);
      const oracle::Value truth = wave == Wave::sine ? sin(angle) : cos(angle);
      if (known) {
        if (value->zero()) {
          EXPECT_LT(mpfr_get_exp(truth.get()), -3000);
        } else {
          EXPECT_TRUE(holds(enclose(*value, 300), truth)) << t;
        }
      }
    }
  }
  EXPECT_EQ(known_wave(Wave::sine, half_turn * Real(fraction(5, 6))), Real(0.5));
  EXPECT_FALSE(known_wave(Wave::sine, Real(1)));
  EXPECT_FALSE(known_wave(Wave::sine, half_turn * power(2, fraction(1, 2))));
}

TEST(KnownValues, WholeQuartersOfAPosition) {
  const Real twelfth = half_turn * Real(fraction(1, 6)), cell = half_turn * Real(fraction(3, 14));
  EXPECT_EQ(quarter_turns_of(twelfth).whole(at(3)), 1u);
  EXPECT_EQ(quarter_turns_of(twelfth).whole(at(-3)), 1u) << "of |p|";
  EXPECT_EQ(quarter_turns_of(twelfth).whole(at(2)), std::nullopt);
  EXPECT_EQ(quarter_turns_of(twelfth).whole(dyadic(1.5)), std::nullopt);
  EXPECT_EQ(quarter_turns_of(half_turn).whole(dyadic(-1.5)), 3u);
  EXPECT_EQ(quarter_turns_of(half_turn).whole(dyadic(0x1p1023)), 0u);
  EXPECT_EQ(quarter_turns_of(half_turn * Real(0x1p-80)).whole(dyadic(0x1p80)), 2u);
  EXPECT_EQ(quarter_turns_of(half_turn * Real(0x1p-80)).whole(at(INT64_MIN)), std::nullopt);
  EXPECT_EQ(quarter_turns_of(Real(1)).whole(at(7)), std::nullopt);
  EXPECT_EQ(quarter_turns_of(Real()).whole(dyadic(0.3)), 0u);
  EXPECT_EQ(quarter_turns_of(power(10000, fraction(-1, 3))).denominator, 0u);
  EXPECT_EQ(quarter_turns_of(half_turn * Real(fraction(1, 3)) * Real(power(Rational(3), 64))).denominator, 1u);
  EXPECT_EQ(quarter_turns_of(half_turn * Real(power(Rational(3), -64))).denominator, 0u) << "beyond 64 bits";
  for (const Real& w : {twelfth, cell, half_turn * Real(512), half_turn * Real(fraction(3, 1024)), Real()}) {
    const Rational quarters = *quarter_turns(w);
    for (std::int64_t i = -2100; i <= 2100; ++i) {
      for (const Dyadic& p : {at(i), dyadic(static_cast<double>(i) / 8)}) {
        if (p.zero()) continue;
        Rational all = quarters * Rational(p);
        all.negative = false;
        const std::optional<unsigned> found = quarter_turns_of(w).whole(p);
        ASSERT_EQ(found.has_value(), all.whole()) << i;
        if (found) {
          ASSERT_EQ(*found, static_cast<unsigned>(floor(all) & 3)) << i;
        }
      }
    }
  }
}

// 1/2 times a scale that is half-way between two numbers of T, and 1 times it, and with radicals that cancel.
template <class T>
void expect_ties_to_even() {
  const Real third = half_turn * Real(fraction(1, 3)), sixth = half_turn * Real(fraction(1, 6));
  const double unit = std::ldexp(1.0, 1 - format<T>.precision);
  for (int k = 0; k < 6; ++k) {
    const double even = 1 + (k + k % 2) * unit;
    const Rational tie = Rational(1) + Rational(unit) * (Rational(k) + fraction(1, 2));
    const auto half_of = [&](double x) { return x / 2; };
    EXPECT_EQ(widened(*exact_wave<T>(Wave::sine, sixth, tie)), half_of(even));
    EXPECT_EQ(widened(*exact_wave<T>(Wave::sine, sixth * Real(7), tie)), -half_of(even));
    EXPECT_EQ(widened(*exact_wave<T>(Wave::cosine, third, -tie)), -half_of(even));
    EXPECT_EQ(widened(*exact_wave<T>(Wave::cosine, 0, tie)), even);
    EXPECT_EQ(widened(*exact_wave<T>(Wave::cosine, half_turn, tie)), -even);
    const Real root3 = power(3, fraction(1, 2)), root2 = power(2, fraction(1, 2));
    EXPECT_EQ(widened(*exact_wave<T>(Wave::sine, third, root3 * Real(tie) * Real(fraction(2, 3)))), even);
    EXPECT_EQ(widened(*exact_wave<T>(Wave::cosine, half_turn * Real(fraction(-1, 4)), root2 * Real(tie))), even);
  }
}

TEST(KnownValues, F64TiesGoToEven) { expect_ties_to_even<double>(); }
TEST(KnownValues, F32TiesGoToEven) { expect_ties_to_even<float>(); }
TEST(KnownValues, F16TiesGoToEven) { expect_ties_to_even<half>(); }
TEST(KnownValues, Bf16TiesGoToEven) { expect_ties_to_even<bfloat16>(); }

TEST(KnownValues, AngleZeroIsFoundByCancellation) {
  const Real w = power(10000, fraction(-2, 6)), phase = half_turn * Real(0.3);
  const Real x = w * Real(5) - phase - w * Real(7) + w * Real(2) + phase;
  EXPECT_EQ(exact_wave<double>(Wave::sine, x, 3), 0.0);
  EXPECT_FALSE(negative_zero(*exact_wave<double>(Wave::sine, x, 3)));
  EXPECT_TRUE(negative_zero(*exact_wave<double>(Wave::sine, x, -3)));
  EXPECT_EQ(exact_wave<double>(Wave::cosine, x, 3), 3.0);
  const Real quarter = x + half_turn * Real(fraction(1, 2));
  EXPECT_EQ(exact_wave<float>(Wave::sine, quarter, -3), -3.0f);
  EXPECT_TRUE(negative_zero(widened(*exact_wave<float>(Wave::cosine, quarter, -3))));
  EXPECT_EQ(exact_wave<float>(Wave::sine, Real(1), Real()), 0.0f);
}

}  // namespace
}  // namespace posenc::numerics
