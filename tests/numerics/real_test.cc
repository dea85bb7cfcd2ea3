// SPDX-License-Identifier: Apache-2.0
// Real numbers in closed form: what is equal is found equal, what cancels is gone.
#include "src/numerics/real.h"

#include <gtest/gtest.h>

namespace posenc::numerics {
namespace {

Real rung(const Rational& base, std::int64_t n, std::int64_t d) { return power(base, fraction(n, d)); }

TEST(Real, RationalPowersAreRational) {
  EXPECT_EQ(rung(10000, -1, 2), Real(fraction(1, 100)));
  EXPECT_EQ(rung(10000, 3, 4), Real(1000));
  EXPECT_EQ(rung(10000, -128, 512), Real(fraction(1, 10)));
  EXPECT_EQ(rung(10000, 0, 7), Real(1));
  EXPECT_EQ(rung(1, 5, 7), Real(1));
  EXPECT_EQ(rung(fraction(8, 27), -2, 3), Real(fraction(9, 4)));
  EXPECT_EQ(rung(0x1p-1074, 1, 537), Real(fraction(1, 4)));
  EXPECT_EQ(rung(2, 1000, 1), Real(0x1p1000)) << "a rising octave";
  EXPECT_EQ(power(power(Rational(7), 30), fraction(-1, 30)), Real(fraction(1, 7)));
  EXPECT_EQ(rung(40, 1, 2) * rung(10, 1, 2), Real(20)) << "of two bases";
  EXPECT_EQ(rung(6, 1, 2) * rung(10, 1, 2) * rung(15, 1, 2), Real(30));
  EXPECT_EQ(rung(10000, -3, 7) * rung(10000, 3, 7), Real(1));
  EXPECT_FALSE(rational(rung(10000, -1, 3)));
  EXPECT_FALSE(rational(rung(10, 1, 2) * rung(2, 1, 2)));
  EXPECT_TRUE(rational(rung(3, 3, 1) * rung(3, 1, 2) * rung(3, -1, 2)) == Rational(27));
}

TEST(Real, OneNumberHasOneForm) {
  for (const std::int64_t d : {6, 64, 129, 1024}) {
    for (std::int64_t k = 0; k < d; k += 1 + d / 9) {
      EXPECT_EQ(rung(100, -4 * k, d), rung(10000, -2 * k, d)) << k << '/' << d;
      EXPECT_EQ(rung(fraction(1, 10000), 2 * k, d), rung(10000, -2 * k, d));
      EXPECT_EQ(rung(20000, -2 * k, d), rung(10000, -2 * k, d) * rung(2, -2 * k, d)) << "NTK's base";
    }
  }
  EXPECT_EQ(Real(10) * rung(10, -9, 8), rung(10, -1, 8));
  EXPECT_EQ(Real(0.1), Real(Rational(0.1)));
  EXPECT_NE(Real(0.1), Real(fraction(1, 10)));
  EXPECT_NE(rung(10000, -1, 3), rung(10000, -1, 5));
  EXPECT_EQ(logarithm(Rational(8)), Real(3) * logarithm(Rational(2)));
  EXPECT_EQ(logarithm(fraction(1, 9)), Real(-2) * logarithm(Rational(3)));
  EXPECT_EQ(quotient(logarithm(Rational(8)), logarithm(Rational(4))), Real(fraction(3, 2)));
  EXPECT_EQ(square_root(rung(10000, -1, 3)), rung(10000, -1, 6));
  EXPECT_EQ(square_root(Real(fraction(9, 16))), Real(fraction(3, 4)));
  EXPECT_EQ(quotient(pi_to_the(1), pi_to_the(2)), pi_to_the(-1));
}

TEST(Real, SumsCancelExactly) {
  const Real w = rung(10000, -2, 6), h = Real(fraction(1, 2)) * pi_to_the(1);
  EXPECT_TRUE((w * Real(17) - w * Real(17)).zero());
  EXPECT_TRUE((w * Real(3) + h - w * Real(2) - h - w).zero());
  EXPECT_TRUE((rung(10, 4, 3) - Real(10) * rung(10, 1, 3)).zero());
  EXPECT_TRUE((Real(0.1) + Real(0.2) - Real(0.1) - Real(0.2)).zero());
  const Real ramp = quotient(Real(7) - logarithm(Rational(5)), logarithm(Rational(3)) - Real(9));
  const Real blend = w * Real(fraction(1, 8)) * ramp + w * (Real(1) - ramp);
  EXPECT_EQ(blend, w * (Real(1) - Real(fraction(7, 8)) * ramp));
  EXPECT_TRUE((blend - blend).zero());
  EXPECT_EQ(w + h, h + w);
  EXPECT_EQ((w + h) * (w - h), w * w - h * h);
  const Real root = square_root(Real(1) + logarithm(Rational(5)));
  EXPECT_TRUE((root * w - w * root).zero()) << "formulas are equal by name and arguments";
  EXPECT_FALSE((root - square_root(Real(1) + logarithm(Rational(6)))).zero());
}

TEST(Real, RationalsAreToldByForm) {
  const Real w = rung(10000, -2, 6), pi = pi_to_the(1);
  EXPECT_EQ(rational(Real()), Rational());
  EXPECT_EQ(rational(Real(0.3)), Rational(0.3));
  EXPECT_EQ(rational(pi * pi_to_the(-1)), Rational(1));
  EXPECT_EQ(rational(w * w * w), fraction(1, 10000));
  for (const Real& x : {w, w + Real(1), pi, pi * w, pi + w, logarithm(Rational(3)), exponential(Real(1))}) {
    EXPECT_FALSE(rational(x));
  }
}

TEST(Real, PowersAreRationalFromTheLeastOnOn) {
  for (const double base : {2.0, 3.0, 10.0, 20.0, 100.0, 10000.0, 1.5, 0.36}) {
    for (std::int64_t d = 1; d <= 12; ++d) {
      for (const std::int64_t n : {-2, -1, 3}) {
        const Real x = power(base, fraction(n, d));
        std::uint64_t least = 1;
        for (Real product = x; !rational(product); product = product * x) ++least;
        EXPECT_EQ(least_rational_power(x), least) << base << "^(" << n << " / " << d << ")";
      }
    }
  }
  EXPECT_EQ(least_rational_power(rung(10000, -2, 6) * rung(3, 1, 4)), 12u);
  EXPECT_EQ(least_rational_power(pi_to_the(1)), std::nullopt);
  EXPECT_EQ(least_rational_power(rung(10000, -2, 6) + Real(1)), std::nullopt);
  EXPECT_EQ(least_rational_power(exponential(Real(1))), std::nullopt);
}

}  // namespace
}  // namespace posenc::numerics
