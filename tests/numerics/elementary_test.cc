// SPDX-License-Identifier: Apache-2.0
// Correctly rounded exp, log, pow, sin and cos against MPFR.
#include "src/numerics/elementary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/numerics/formats.h"
#include "tests/oracle/sines.h"

namespace posenc::numerics {
namespace {

template <class Function>
double by_mpfr(oracle::Format to, const Function& function) {
  oracle::Number y(300);
  function(y.get());
  return oracle::rounded(y, to);
}

double draw_number(std::mt19937_64& random, int least, int most) {
  const int exponent = least + static_cast<int>(random() % static_cast<unsigned>(most - least));
  return std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent) * (random() % 2 == 0 ? 1 : -1);
}

template <class T>
void expect_exp_log_pow() {
  std::mt19937_64 random(8);
  for (int i = 0; i < 3000; ++i) {
    const double x = draw_number(random, -70, 11);
    EXPECT_EQ(static_cast<double>(*exp_rounded<T>(x)), by_mpfr(format<T>,
                                                               [&](mpfr_ptr y) {
                                                                 mpfr_set_d(y, x, MPFR_RNDN);
                                                                 mpfr_exp(y, y, MPFR_RNDN);
                                                               }))
        << "exp " << x;
    const double positive = std::abs(draw_number(random, -1070, 1020));
    EXPECT_EQ(static_cast<double>(*log_rounded<T>(positive)), by_mpfr(format<T>,
                                                                      [&](mpfr_ptr y) {
                                                                        mpfr_set_d(y, positive, MPFR_RNDN);
                                                                        mpfr_log(y, y, MPFR_RNDN);
                                                                      }))
        << "log " << positive;
    const bool plain = i % 3 == 0;  // small integers and quarters: exact powers among them
    const double base = plain ? static_cast<double>(1 + random() % 20) : std::abs(draw_number(random, -20, 20));
    const double exponent = plain ? (static_cast<double>(random() % 81) - 40) / 4 : draw_number(random, -40, 6);
    EXPECT_EQ(static_cast<double>(*pow_rounded<T>(numerics::base(base), exponent)),
              by_mpfr(format<T>,
                      [&](mpfr_ptr y) {
                        oracle::Number e(60);
                        mpfr_set_d(e.get(), exponent, MPFR_RNDN);
                        mpfr_set_d(y, base, MPFR_RNDN);
                        mpfr_pow(y, y, e.get(), MPFR_RNDN);
                      }))
        << base << " ^ " << exponent;
  }
}

TEST(Elementary, F32ExpLogAndPowAreRoundedOnce) { expect_exp_log_pow<float>(); }
TEST(Elementary, F64ExpLogAndPowAreRoundedOnce) { expect_exp_log_pow<double>(); }

TEST(Elementary, ExactPowersAreFound) {
  EXPECT_EQ(*pow_rounded<double>(base(10000), 0.25), 10);
  EXPECT_EQ(*pow_rounded<float>(base(10000), 0.75), 1000);
  EXPECT_EQ(*pow_rounded<double>(base(10000), 0), 1);
  EXPECT_EQ(*pow_rounded<double>(base(2), -1074), 0x1p-1074);
  EXPECT_EQ(*pow_rounded<double>(base(4), 0.5), 2);
  EXPECT_EQ(*pow_rounded<float>(base(static_cast<double>((1 << 12) + 1)), 2), 0x1.002p24f)
      << "half-way in f32, to even";
  EXPECT_EQ(*pow_rounded<double>(base(1), 1e300), 1);
  EXPECT_EQ(*pow_rounded<double>(base(2), 1e300), INFINITY);
  EXPECT_EQ(*pow_rounded<double>(base(2), -1e300), 0);
  EXPECT_EQ(*pow_rounded<double>(base(0.5), 1e300), 0);
  EXPECT_EQ(*pow_rounded<double>(base(3), 5000), INFINITY);
}

TEST(Elementary, ExpAndLogAtTheirEnds) {
  EXPECT_EQ(*exp_rounded<double>(0), 1);
  EXPECT_EQ(*exp_rounded<double>(710), INFINITY);
  EXPECT_EQ(*exp_rounded<double>(-746), 0);
  EXPECT_EQ(*exp_rounded<double>(-INFINITY), 0);
  EXPECT_EQ(*exp_rounded<double>(1e308), INFINITY);
  EXPECT_TRUE(std::isnan(*exp_rounded<float>(NAN)));
  EXPECT_EQ(*exp_rounded<double>(0x1p-1074), 1);
  EXPECT_EQ(*exp_rounded<double>(-0x1p-53), 1 - 0x1p-53);
  EXPECT_EQ(*log_rounded<double>(1), 0);
  EXPECT_EQ(*log_rounded<double>(1 + 0x1p-52), 0x1.fffffffffffffp-53);
}

template <class T>
void expect_sine_and_cosine() {
  std::mt19937_64 random(9);
  for (int i = 0; i < 5000; ++i) {
    const double x = static_cast<double>(static_cast<T>(draw_number(random, -300, 300)));
    if (!std::isfinite(x) || x == 0) continue;
    oracle::Number angle(60);
    mpfr_set_d(angle.get(), x, MPFR_RNDN);
    const Pair<T> pair = *sine_cosine_rounded<T>(x);
    ASSERT_EQ(static_cast<double>(pair.sine), oracle::rounded_wave(oracle::Wave::sine, angle, format<T>)) << x;
    ASSERT_EQ(static_cast<double>(pair.cosine), oracle::rounded_wave(oracle::Wave::cosine, angle, format<T>)) << x;
  }
}

TEST(Elementary, F32SineAndCosineAreRoundedOnce) { expect_sine_and_cosine<float>(); }
TEST(Elementary, F64SineAndCosineAreRoundedOnce) { expect_sine_and_cosine<double>(); }

TEST(Elementary, F64SineOfTheLargestArguments) {
  // 6381956970095103 * 2^797 is the double nearest to a multiple of pi / 2.
  for (const double x : {0x1.fffffffffffffp+1023, 6381956970095103 * 0x1p797, 0x1p1000}) {
    oracle::Number angle(60);
    mpfr_set_d(angle.get(), x, MPFR_RNDN);
    EXPECT_EQ(sine_cosine_rounded<double>(x)->sine, oracle::rounded_wave(oracle::Wave::sine, angle, oracle::f64));
    EXPECT_EQ(sine_cosine_rounded<double>(x)->cosine, oracle::rounded_wave(oracle::Wave::cosine, angle, oracle::f64));
  }
}

TEST(Elementary, FrequenciesAreRoundedOnceWhetherRationalOrNot) {
  const auto w = [](double first, double base, std::uint64_t n, std::uint64_t d) {
    return Real(first) * power(base, -Rational(n) / Rational(d));
  };
  EXPECT_EQ(rounded<double>(w(1, 10000, 0, 5)), 1);
  EXPECT_EQ(rounded<double>(w(1, 10000, 2, 4)), 0.01);
  EXPECT_EQ(rounded<double>(w(0, 10000, 2, 4)), 0);
  EXPECT_EQ(rounded<float>(w(static_cast<double>((1 << 25) + 1), 4, 1, 2)), 0x1p24f) << "half-way, to even";
  EXPECT_EQ(rounded<float>(w(3 * (0x1p24 + 1), 9, 1, 2)), 0x1p24f) << "half-way, 9 is a square";
  std::mt19937_64 random(10);
  for (int i = 0; i < 500; ++i) {
    const double base = i % 2 == 0 ? 10000 : std::abs(draw_number(random, 1, 40));
    const std::uint64_t d = 1 + random() % 600, n = random() % (d + 1);
    oracle::Number expected(300);
    oracle::set_frequency(expected, base, n, d);
    EXPECT_EQ(rounded<double>(w(1, base, n, d)), oracle::rounded(expected, oracle::f64))
        << base << ' ' << n << '/' << d;
  }
}

TEST(Elementary, NormalValuesAreRoundedOnce) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 1000; ++i) {
    auto a = static_cast<std::uint32_t>(random()), b = static_cast<std::uint32_t>(random());
    if (i < 20) a = static_cast<std::uint32_t>(-i);
    if (i % 50 == 0) b = (1u << 30) * static_cast<std::uint32_t>(i / 50 % 4) + static_cast<std::uint32_t>(i % 3);
    oracle::Number z(400), angle(400);
    mpfr_set_ui(z.get(), std::uint64_t{a} + 1, MPFR_RNDN);
    mpfr_div_2ui(z.get(), z.get(), 32, MPFR_RNDN);
    mpfr_log(z.get(), z.get(), MPFR_RNDN);
    mpfr_mul_si(z.get(), z.get(), -2, MPFR_RNDN);
    mpfr_sqrt(z.get(), z.get(), MPFR_RNDN);
    mpfr_const_pi(angle.get(), MPFR_RNDN);
    mpfr_mul_ui(angle.get(), angle.get(), b, MPFR_RNDN);
    mpfr_div_2ui(angle.get(), angle.get(), 31, MPFR_RNDN);
    mpfr_cos(angle.get(), angle.get(), MPFR_RNDN);
    mpfr_mul(z.get(), z.get(), angle.get(), MPFR_RNDN);
    const bool zero = a == 0xFFFFFFFFu || b % (1u << 31) == 1u << 30;
    EXPECT_EQ(static_cast<double>(*gaussian_rounded(a, b)), zero ? 0 : oracle::rounded(z, oracle::f32))
        << a << ' ' << b;
  }
}

}  // namespace
}  // namespace posenc::numerics
