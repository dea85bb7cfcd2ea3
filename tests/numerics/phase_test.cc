// SPDX-License-Identifier: Apache-2.0
// Turns and the quick path: constants, bounds, and what it declines.
#include "src/numerics/phase.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/oracle/sines.h"

namespace posenc::numerics {
namespace {

// value = significand / 2^bits * 2^exponent from limbs, least significant first
void set_significand(oracle::Number& to, std::span<const std::uint64_t> limbs, std::int64_t exponent) {
  mpfr_set_ui(to.get(), 0, MPFR_RNDN);
  for (std::size_t i = limbs.size(); i-- > 0;) {
    mpfr_mul_2ui(to.get(), to.get(), 64, MPFR_RNDN);
    mpfr_add_ui(to.get(), to.get(), limbs[i], MPFR_RNDN);
  }
  mpfr_mul_2si(to.get(), to.get(), static_cast<long>(exponent) - 64 * static_cast<long>(limbs.size()), MPFR_RNDN);
}

// |a - b| / b as a power of two
long error_exponent(const oracle::Number& a, const oracle::Number& b) {
  oracle::Number difference(600);
  mpfr_sub(difference.get(), a.get(), b.get(), MPFR_RNDN);
  if (mpfr_zero_p(difference.get())) return -100000;
  mpfr_div(difference.get(), difference.get(), b.get(), MPFR_RNDN);
  return mpfr_get_exp(difference.get());
}

void over_two_pi(oracle::Number& w) {
  oracle::Number pi(mpfr_get_prec(w.get()));
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_div(w.get(), w.get(), pi.get(), MPFR_RNDN);
  mpfr_div_2ui(w.get(), w.get(), 1, MPFR_RNDN);
}

TEST(Turns, TheUnitTurnIsOneOverTwoPi) {
  const Turn computed = *turn(Real(1));
  EXPECT_EQ(computed.significand, unit_turn().significand);
  EXPECT_EQ(computed.exponent, unit_turn().exponent);
  oracle::Number expected(600), got(600);
  mpfr_set_ui(expected.get(), 1, MPFR_RNDN);
  over_two_pi(expected);
  set_significand(got, unit_turn().significand, unit_turn().exponent);
  EXPECT_LT(error_exponent(got, expected), -254);
}

TEST(Turns, EveryRungKeepsItsBound) {
  struct Case {
    double first, base;
    std::uint64_t step, denominator;
    std::size_t count;
  };
  for (const Case& c : {Case{1, 10000, 2, 512, 256}, Case{1, 10000, 1, 255, 256}, Case{1, 10000, 2, 8192, 4096},
                        Case{0.25, 500000, 1, 3, 4}, Case{3e-300, 1e300, 1, 2, 3}, Case{1000, 0x1p-1000, 1, 7, 8},
                        Case{1, 1, 2, 6, 3}, Case{0x1p-1074, 2, 1, 1, 2}}) {
    std::vector<Turn> turns(c.count);
    const Rational step = -Rational(c.step) / Rational(c.denominator);
    ASSERT_TRUE(geometric_turns(Real(c.first), power(c.base, step), turns));
    for (std::size_t k = 0; k < c.count; k += c.count > 300 ? 61 : 1) {
      oracle::Number w(600), got(600), alone(600);
      oracle::set_frequency(w, c.base, k * c.step, c.denominator);
      mpfr_mul_d(w.get(), w.get(), c.first, MPFR_RNDN);
      over_two_pi(w);
      set_significand(got, turns[k].significand, turns[k].exponent);
      EXPECT_LT(error_exponent(got, w), -240) << "rung " << k << " of base " << c.base;
      const Turn one = *turn(Real(c.first) * power(c.base, step * Rational(k)));
      set_significand(alone, one.significand, one.exponent);
      EXPECT_LT(error_exponent(alone, w), -240);
    }
  }
}

// The error that quick_sine_cosine states holds, at positions of every size.
TEST(QuickSineCosine, StaysWithinItsBound) {
  std::mt19937_64 random(4);
  std::vector<Turn> turns(256);
  ASSERT_TRUE(geometric_turns(1, power(10000, fraction(-2, 512)), turns));
  int declined = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t k = random() % 256;
    const Turn w = turns[k];
    Dyadic p = dyadic(static_cast<std::int64_t>(random()) >> random() % 63);
    if (i % 2 == 0) p.exponent = -static_cast<int>(random() % 1000);
    if (p.zero()) continue;
    const std::optional<SineCosine> quick = quick_sine_cosine(w, p);
    if (!quick) {
      ++declined;
      continue;
    }
    oracle::Number x(2400), s(400), c(400), got(400), bound(64);
    oracle::set_frequency(x, 10000, 2 * k, 512);
    mpfr_mul_ui(x.get(), x.get(), p.mantissa, MPFR_RNDN);
    mpfr_mul_2si(x.get(), x.get(), p.exponent, MPFR_RNDN);
    if (p.negative) mpfr_neg(x.get(), x.get(), MPFR_RNDN);
    mpfr_sin_cos(s.get(), c.get(), x.get(), MPFR_RNDN);
    for (const auto& [approximation, truth] : {std::pair{&quick->sine, &s}, std::pair{&quick->cosine, &c}}) {
      ASSERT_EQ(static_cast<int>(approximation->significand >> 127), 1);
      const std::uint64_t limbs[] = {static_cast<std::uint64_t>(approximation->significand),
                                     static_cast<std::uint64_t>(approximation->significand >> 64)};
      set_significand(got, limbs, approximation->exponent);
      if (approximation->negative) mpfr_neg(got.get(), got.get(), MPFR_RNDN);
      mpfr_sub(got.get(), got.get(), truth->get(), MPFR_RNDN);
      mpfr_mul_2si(got.get(), got.get(), 128 - static_cast<long>(approximation->exponent), MPFR_RNDN);
      mpfr_set_d(bound.get(), static_cast<double>(approximation->error), MPFR_RNDU);
      ASSERT_LE(mpfr_cmpabs(got.get(), bound.get()), 0) << mpfr_get_d(got.get(), MPFR_RNDN);
    }
  }
  EXPECT_LT(declined, 100);
}

TEST(QuickSineCosine, DeclinesProductsBeyondItsBits) {
  EXPECT_FALSE(quick_sine_cosine(unit_turn(), {1, 400, false}));
  EXPECT_FALSE(quick_sine_cosine(*turn(power(2, std::int64_t{1} << 15)), {1, 0, false}));
  EXPECT_FALSE(phase64(*turn(power(2, std::int64_t{1} << 15)), {1, 0, false}));
  EXPECT_TRUE(quick_sine_cosine(unit_turn(), {1, 0, false}));
}

TEST(Phase64, IsTheFractionCutAfter64Bits) {
  std::mt19937_64 random(5);
  std::vector<Turn> turns(32);
  ASSERT_TRUE(geometric_turns(1, power(10000, fraction(-2, 64)), turns));
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t k = random() % 32;
    const Turn w = turns[k];
    const Dyadic p = {random() >> random() % 64 | 1, -static_cast<int>(random() % 200), false};
    oracle::Number x(600), fraction(600);
    oracle::set_frequency(x, 10000, 2 * k, 64);
    over_two_pi(x);
    mpfr_mul_ui(x.get(), x.get(), p.mantissa, MPFR_RNDN);
    mpfr_mul_2si(x.get(), x.get(), p.exponent, MPFR_RNDN);
    mpfr_frac(fraction.get(), x.get(), MPFR_RNDN);
    mpfr_mul_2ui(fraction.get(), fraction.get(), 64, MPFR_RNDN);
    const std::optional<std::uint64_t> got = phase64(w, p);
    ASSERT_TRUE(got);
    mpfr_sub_ui(fraction.get(), fraction.get(), *got, MPFR_RNDN);
    EXPECT_GE(mpfr_cmp_d(fraction.get(), -0x1p-20), 0);
    EXPECT_LT(mpfr_cmp_d(fraction.get(), 2), 0);
  }
}

// Of turns that have all of their digits.
TEST(Phase64, OfHugeFrequenciesIsTheirFraction) {
  for (const double w : {0x1p70, 1e30, 1e300}) {
    for (const Dyadic p :
         {Dyadic{1, 0, false}, Dyadic{3, 0, false}, Dyadic{1, -30, false}, Dyadic{987654321, 20, false}}) {
      oracle::Number x(2000), fraction(600);
      mpfr_set_d(x.get(), w, MPFR_RNDN);
      over_two_pi(x);
      mpfr_mul_ui(x.get(), x.get(), p.mantissa, MPFR_RNDN);
      mpfr_mul_2si(x.get(), x.get(), p.exponent, MPFR_RNDN);
      mpfr_frac(fraction.get(), x.get(), MPFR_RNDN);
      mpfr_mul_2ui(fraction.get(), fraction.get(), 64, MPFR_RNDN);
      const std::optional<std::uint64_t> got = phase64(*turn(w), p);
      ASSERT_TRUE(got) << w;
      mpfr_sub_ui(fraction.get(), fraction.get(), *got, MPFR_RNDN);
      EXPECT_GE(mpfr_cmp_d(fraction.get(), -0x1p-20), 0) << w;
      EXPECT_LT(mpfr_cmp_d(fraction.get(), 2), 0) << w;
    }
  }
}

}  // namespace
}  // namespace posenc::numerics
