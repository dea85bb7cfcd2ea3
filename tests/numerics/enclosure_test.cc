// SPDX-License-Identifier: Apache-2.0
// Enclosures against MPFR: each operation holds the true result of any numbers in its arguments, and stays tight.
#include "src/numerics/enclosure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "src/numerics/smooth.h"
#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

Enclosure minus(Enclosure x) {
  x.negative = !x.negative;
  return x;
}

struct EnclosedNumber {
  Enclosure enclosure;
  oracle::Value truth;
};

// A number of some 130 bits, and an enclosure of it that is off by up to its error, which leaves `correct` bits.
EnclosedNumber draw_enclosed(std::mt19937_64& random, std::int64_t correct, int exponents) {
  const Bignum significand = (Bignum(random() | std::uint64_t{1} << 63) << 64) + Bignum(random());
  const std::int64_t exponent = static_cast<std::int64_t>(random() % static_cast<unsigned>(exponents)) - exponents / 2;
  const std::int64_t error_bits = 128 - correct;
  const Bignum off = low_bits(Bignum(random()), error_bits);
  const Bignum truth = random() % 2 == 0 ? significand + off : significand - off;
  const bool negative = random() % 2 == 0;
  const oracle::Value size = value(truth, exponent - 128);
  return {{negative, significand, exponent - 128, error_bits}, negative ? oracle::Value(0) - size : size};
}

TEST(Enclosure, EveryOperationHoldsTheTruthAndIsTight) {
  std::mt19937_64 random(22);
  for (int i = 0; i < 400; ++i) {
    const std::int64_t correct = 70 + static_cast<std::int64_t>(random() % 58);
    const std::int64_t bits = 60 + static_cast<std::int64_t>(random() % 200);
    const std::int64_t of_b = 70 + static_cast<std::int64_t>(random() % 58);
    const std::int64_t kept = std::min({correct, of_b, bits});
    EnclosedNumber a = draw_enclosed(random, correct, 40), b = draw_enclosed(random, of_b, 40);
    const Enclosure product = multiply(a.enclosure, b.enclosure, bits);
    EXPECT_TRUE(holds(product, a.truth * b.truth));
    EXPECT_GE(correct_bits(product), kept - 5);
    const Enclosure quotient = divide(a.enclosure, b.enclosure, bits);
    EXPECT_TRUE(holds(quotient, a.truth / b.truth));
    EXPECT_GE(correct_bits(quotient), kept - 6);
    EXPECT_TRUE(holds(add(a.enclosure, b.enclosure, bits), a.truth + b.truth));
    EXPECT_TRUE(holds(add(a.enclosure, minus(a.enclosure), bits), oracle::Value(0)));
    EXPECT_EQ(sign(a.enclosure), a.enclosure.negative ? -1 : 1);
    EnclosedNumber small = draw_enclosed(random, correct, 16);
    const Enclosure power = exp(small.enclosure, bits);
    EXPECT_TRUE(holds(power, exp(small.truth)));
    EXPECT_GE(correct_bits(power), kept - 16);
    if (!a.enclosure.negative) {
      const Enclosure root = square_root(a.enclosure, bits);
      EXPECT_TRUE(holds(root, sqrt(a.truth)));
      EXPECT_GE(correct_bits(root), kept - 4);
      EXPECT_TRUE(holds(log(a.enclosure, bits), log(a.truth)));
    }
  }
}

TEST(Enclosure, LogarithmsOfRationalsShortAndLong) {
  for (const Rational& x : {Rational(10000), Rational(500000), Rational(5) * Rational(0x1p-90), power(5, 27),
                            power(5, 28), fraction(9, 10), Rational(1) + Rational(0x1p-52), Rational(0x1p1000),
                            Rational(7) * Rational(0x1p-1000), power(fraction(10001, 9999), 20), power(3, 500),
                            Rational(150000), power(3, 40), power(3, 41), power(15, 16), power(15, 17)}) {
    for (const std::int64_t bits : {64, 300, 1000, 1216, 1217}) {
      const Enclosure e = log(x, bits);
      EXPECT_TRUE(holds(e, log(value(x))));
      EXPECT_LE(e.exponent + e.error_bits, -bits);
    }
  }
}

// Each is near another number 2^i 3^j 5^k, and 0.4 % at most from one.
TEST(Enclosure, LogarithmsOfNumbersAllOverAnOctave) {
  for (std::int64_t n = 256; n <= 512; ++n) {
    for (const Rational& x : {fraction(n, 512), fraction(n, 512) * power(fraction(1 << 16, (1 << 16) - 1), 6)}) {
      for (const std::int64_t bits : {64, 400, 1217}) {
        const Enclosure e = log(x, bits);
        ASSERT_TRUE(holds(e, log(value(x)))) << n << ", " << bits;
        ASSERT_LE(e.exponent + e.error_bits, -bits) << n << ", " << bits;
      }
    }
  }
}

TEST(Enclosure, WhatMayBeZeroDividesNothing) {
  const Enclosure zero = {false, Bignum(1), 0, 1}, one = enclose(Rational(1), 100);
  EXPECT_EQ(sign(zero), 0);
  EXPECT_LE(correct_bits(divide(one, zero, 100)), 0);
  EXPECT_LE(correct_bits(log(zero, 100)), 0);
  EXPECT_LE(correct_bits(log(minus(one), 100)), 0);
  EXPECT_LE(correct_bits(square_root(zero, 100)), 0);
  EXPECT_LE(correct_bits(exp(enclose(Rational(0x1p31), 100), 100)), 0);
  for (const Enclosure& nothing : {add(one, unknown(), 100), multiply(one, unknown(), 100), divide(unknown(), one, 100),
                                   exp(unknown(), 100), log(unknown(), 100), square_root(unknown(), 100)}) {
    EXPECT_LE(correct_bits(nothing), 0);
    EXPECT_FALSE(settle<bfloat16>(nothing));
  }
}

TEST(Enclosure, PiIsEnclosedToTheLastBitThatTheSeriesReach) {
  for (const std::int64_t bits : {10, 100, 1000, 3000}) {
    EXPECT_TRUE(holds(enclose_pi(bits), oracle::pi()));
    EXPECT_GE(correct_bits(enclose_pi(bits)), bits);
  }
}

// Up to 1280 bits the constants are digits that stand in the source: each is below the number by less than its last
// bit.
TEST(Enclosure, DigitsOfPiAndOfTheLogarithmOfTwoGoOverIntoTheirSeriesAndThoseOfThreeAndFiveEnd) {
  for (std::int64_t F = 1; F <= 1300; ++F) {
    ASSERT_TRUE(holds({false, pi(F), -F, F <= 1280 ? 0 : 20}, oracle::pi())) << F;
    ASSERT_TRUE(holds({false, ln2(F), -F, F <= 1280 ? 0 : 20}, log(oracle::Value(2)))) << F;
    if (F > most_smooth_bits) continue;
    ASSERT_TRUE(holds({false, ln3(F), -F, 0}, log(oracle::Value(3)))) << F;
    ASSERT_TRUE(holds({false, ln5(F), -F, 0}, log(oracle::Value(5)))) << F;
  }
  EXPECT_EQ(pi(1400) >> 120, pi(1280));
  EXPECT_EQ(ln2(1400) >> 120, ln2(1280));
}

}  // namespace
}  // namespace posenc::numerics
