// SPDX-License-Identifier: Apache-2.0
// The quick path of e^x: its bound, and what it declines.
#include "src/numerics/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/oracle/value.h"

namespace posenc::numerics {
namespace {

oracle::Value value_of(uint128 significand, std::int64_t exponent) {
  oracle::Value x(0);
  mpfr_set_ui(x.get(), static_cast<std::uint64_t>(significand >> 64), MPFR_RNDN);
  mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
  mpfr_add_ui(x.get(), x.get(), static_cast<std::uint64_t>(significand), MPFR_RNDN);
  mpfr_mul_2si(x.get(), x.get(), static_cast<long>(exponent) - 128, MPFR_RNDN);
  return x;
}

// Is e^x within `error` of the approximation?
void expect_within_bound(const Approximation& x, const oracle::Value& exact_x) {
  const std::optional<Approximation> quick = quick_exp(x);
  ASSERT_TRUE(quick);
  ASSERT_EQ(static_cast<int>(quick->significand >> 127), 1);
  const oracle::Value difference = value_of(quick->significand, quick->exponent) - exp(exact_x);
  EXPECT_LE(mpfr_cmpabs(difference.get(), value_of(quick->error, quick->exponent).get()), 0)
      << mpfr_get_d(exact_x.get(), MPFR_RNDN);
}

TEST(QuickExp, StaysWithinItsBound) {
  std::mt19937_64 random(1);
  for (const int exponent : {-200, -129, -128, -127, -64, -53, -2, -1, 0, 1, 5, 13}) {
    for (int i = 0; i < 60; ++i) {
      const double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent) * (i % 2 == 0 ? 1 : -1);
      expect_within_bound(approximation(x), x);
    }
  }
}

// A significand is taken for the middle of an interval: both ends of it are within the bound.
TEST(QuickExp, CountsTheErrorOfItsArgument) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const uint128 significand = uint128{random() | std::uint64_t{1} << 63} << 64 | random();
    const Approximation x = {i % 2 == 0, significand, static_cast<std::int64_t>(random() % 20) - 6, random() >> 30};
    for (const uint128 end : {significand - x.error, significand + x.error}) {
      const oracle::Value size = value_of(end, x.exponent);
      expect_within_bound(x, x.negative ? oracle::Value(0) - size : size);
    }
  }
}

TEST(QuickExp, DeclinesWhatIsTooLarge) {
  EXPECT_TRUE(quick_exp(approximation(16383.5)));
  EXPECT_FALSE(quick_exp(approximation(16384.0)));
  EXPECT_FALSE(quick_exp(approximation(-1e300)));
  EXPECT_TRUE(quick_exp(approximation(0x1p-1074)));
}

TEST(QuickLog, StaysWithinItsBound) {
  std::mt19937_64 random(2);
  for (const int exponent : {-62, -20, -2, -1, 0, 1, 20, 62}) {
    for (int i = 0; i < 200; ++i) {
      const double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
      const std::optional<Approximation> quick = quick_log(approximation(x));
      ASSERT_TRUE(quick) << x;
      ASSERT_EQ(static_cast<int>(quick->significand >> 127), 1);
      oracle::Value size = value_of(quick->significand, quick->exponent);
      if (quick->negative) mpfr_neg(size.get(), size.get(), MPFR_RNDN);
      oracle::Value exact(x);
      mpfr_log(exact.get(), exact.get(), MPFR_RNDN);
      const oracle::Value difference = size - exact;
      EXPECT_LE(mpfr_cmpabs(difference.get(), value_of(quick->error, quick->exponent).get()), 0) << x;
      EXPECT_EQ(static_cast<int>(quick->error >> 48), 0) << x << ": a bound of 2^-80 serves f64";
    }
  }
}

TEST(QuickLog, DeclinesWhatItDoesNotTell) {
  EXPECT_FALSE(quick_log(approximation(1.0)));
  EXPECT_FALSE(quick_log(approximation(0x1p70)));
  EXPECT_FALSE(quick_log(approximation(0x1p-70)));
}

}  // namespace
}  // namespace posenc::numerics
