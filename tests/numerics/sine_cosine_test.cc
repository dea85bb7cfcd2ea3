// SPDX-License-Identifier: Apache-2.0
// The certain path by itself, without the quick one before it: enclosures enclose, and it ends where 256 bits do not
// do.
#include "src/numerics/sine_cosine.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/oracle/sines.h"

namespace posenc::numerics {
namespace {

void set_position(oracle::Number& to, const Dyadic& p) {
  mpfr_set_ui(to.get(), p.mantissa, MPFR_RNDN);
  mpfr_mul_2si(to.get(), to.get(), p.exponent, MPFR_RNDN);
  if (p.negative) mpfr_neg(to.get(), to.get(), MPFR_RNDN);
}

// p 10000^(-k / 100)
Real angle_of(std::uint64_t k, const Dyadic& p) { return power(10000, -Rational(k) / 100) * Real(Rational(p)); }

TEST(Certain, EncloseIsTrueAtEveryPrecision) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 400; ++i) {
    const std::int64_t bits = std::int64_t{64} << i % 5;
    const std::uint64_t k = random() % 100;
    const Dyadic p = {random() >> random() % 64 | 1, static_cast<int>(random() % 400) - 300, random() % 2 == 0};
    oracle::Number x(3000), y(3000), frequency(3000), got(3000);
    oracle::set_frequency(frequency, 10000, k, 100);
    set_position(x, p);
    mpfr_mul(x.get(), x.get(), frequency.get(), MPFR_RNDN);
    for (const Wave wave : {Wave::sine, Wave::cosine}) {
      if (wave == Wave::sine) {
        mpfr_sin(y.get(), x.get(), MPFR_RNDN);
      } else {
        mpfr_cos(y.get(), x.get(), MPFR_RNDN);
      }
      const Enclosure e = enclose(wave, angle_of(k, p), bits);
      mpfr_set_ui(got.get(), 0, MPFR_RNDN);
      for (std::size_t limb = static_cast<std::size_t>(e.significand.bit_length() + 63) / 64; limb-- > 0;) {
        mpfr_mul_2ui(got.get(), got.get(), 64, MPFR_RNDN);
        mpfr_add_ui(got.get(), got.get(), e.significand.limb(limb), MPFR_RNDN);
      }
      if (e.negative) mpfr_neg(got.get(), got.get(), MPFR_RNDN);
      mpfr_mul_2si(y.get(), y.get(), static_cast<long>(-e.exponent), MPFR_RNDN);
      mpfr_sub(got.get(), got.get(), y.get(), MPFR_RNDN);
      EXPECT_TRUE(mpfr_zero_p(got.get()) || mpfr_get_exp(got.get()) <= e.error_bits) << "bits " << bits;
      EXPECT_LT(e.error_bits, 80 + std::max<std::int64_t>(0, e.significand.bit_length() - bits)) << "and it is tight";
    }
  }
}

TEST(Certain, AgreesWithMpfrWithoutTheQuickPath) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t k = random() % 100;
    const Dyadic p = dyadic(static_cast<std::int64_t>(random()) >> random() % 63);
    if (p.zero()) continue;
    oracle::Number x(400), frequency(400);
    oracle::set_frequency(frequency, 10000, k, 100);
    set_position(x, p);
    mpfr_mul(x.get(), x.get(), frequency.get(), MPFR_RNDN);
    const auto settled = [&](Wave wave) {
      return settle_certainly<double>([&](std::int64_t bits) { return enclose(wave, angle_of(k, p), bits); });
    };
    EXPECT_EQ(settled(Wave::sine), oracle::rounded_wave(oracle::Wave::sine, x, oracle::f64));
    EXPECT_EQ(settled(Wave::cosine), oracle::rounded_wave(oracle::Wave::cosine, x, oracle::f64));
  }
}

TEST(Certain, ExactZerosAndOnes) {
  const Pair<double> at_zero = *exact_sine_cosine<double>(1, unit_turn(), {});
  EXPECT_EQ(std::bit_cast<std::uint64_t>(at_zero.sine), 0u) << "+0, not -0";
  EXPECT_EQ(at_zero.cosine, 1);
  const Pair<float> no_frequency = *exact_sine_cosine<float>(0, Turn{}, dyadic(std::int64_t{7}));
  EXPECT_EQ(no_frequency.sine, 0);
  EXPECT_EQ(no_frequency.cosine, 1);
}

TEST(Certain, TinyAnglesKeepTheirRelativePrecision) {
  for (const double p : {0x1p-1074, 0x1.234p-1050, 0x1p-500, 0x1.fffffffffffffp-60, 0x1p-27}) {
    const Pair<double> pair = *exact_sine_cosine<double>(1, unit_turn(), dyadic(p));
    EXPECT_EQ(pair.sine, p) << "sin x = x - x^3 / 6";
    EXPECT_EQ(pair.cosine, 1);
  }
  // 1 + 2^-24 times 2^-100 is half-way between two floats; its sine is just below.
  const double tie = (1 + 0x1p-24) * 0x1p-100;
  EXPECT_EQ(exact_sine_cosine<float>(1, unit_turn(), dyadic(tie))->sine, 0x1p-100f);
}

}  // namespace
}  // namespace posenc::numerics
