// SPDX-License-Identifier: Apache-2.0
// Angles of more turns than 128 bits count, against MPFR.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "src/numerics/sine_cosine.h"
#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

using oracle::Value;

// Frequencies of 2^63 to 2^1023 turns.
struct Far {
  Real w;
  Value truth;
};
std::vector<Far> far_frequencies() {
  const Value pi = oracle::pi();
  std::vector<Far> all = {{Real(1e300), 1e300},
                          {Real(0x1.FFFFFFFFFFFFFp1023), 0x1.FFFFFFFFFFFFFp1023},
                          {power(10000, 76), pow(Value(10000), 76)},
                          {power(10000, fraction(303, 4)), pow(Value(10000), Value(303) / Value(4))},
                          {Real(1e200) + pi_to_the(1), Value(1e200) + pi},
                          {Real(3e150) * pi_to_the(1) * square_root(Real(2)), Value(3e150) * pi * sqrt(Value(2))}};
  for (int exponent = 62; exponent < 140; exponent += 7) {
    const double w = std::ldexp(1.3, exponent);
    all.push_back({Real(w), w});
  }
  return all;
}

std::vector<Dyadic> positions() {
  std::vector<Dyadic> all = {dyadic(std::int64_t{1}), dyadic(std::int64_t{3}), dyadic(INT64_MIN), dyadic(INT64_MAX)};
  for (const double p : {0.5, 1.0 / 3, 0x1p53, 0x1p-30, 1e-100, 1e-299, 0x1p-1022, 0x1p-1074, 7 * 0x1p-1074}) {
    all.push_back(dyadic(p));
  }
  std::mt19937_64 random(40);
  for (int i = 0; i < 20; ++i) {
    all.push_back(dyadic(std::ldexp(static_cast<double>(random() >> 11), -static_cast<int>(random() % 1074))));
  }
  return all;
}

TEST(FarAngles, AreToldByTheQuickPathHoweverMuchAPositionBringsBelowThePoint) {
  for (const Far& far : far_frequencies()) {
    const Turn w = *turn(far.w);
    for (const Dyadic& p : positions()) {
      const std::optional<SineCosine> quick = quick_sine_cosine(w, {p.mantissa, p.exponent, false});
      ASSERT_TRUE(quick) << p.mantissa << " 2^" << p.exponent;
      const Value x = value(Rational(p)) * far.truth;
      const Value size = x < Value(0) ? Value(0) - x : x;
      const auto expect = [&](const Approximation& got, const Value& truth) {
        const Bignum significand = (Bignum(static_cast<std::uint64_t>(got.significand >> 64)) << 64) +
                                   Bignum(static_cast<std::uint64_t>(got.significand));
        const auto bits = static_cast<std::int64_t>(128 - countl_zero(got.error));
        EXPECT_TRUE(holds({got.negative, significand, got.exponent - 128, bits}, truth)) << p.mantissa << p.exponent;
        EXPECT_LT(bits, 74);
      };
      expect(quick->sine, sin(size));
      expect(quick->cosine, cos(size));
    }
  }
}

template <class T>
void expect_rounded_once() {
  for (const Far& far : far_frequencies()) {
    const Turn w = *turn(far.w);
    for (const Dyadic& p : positions()) {
      const std::optional<Pair<T>> pair = exact_sine_cosine<T>(far.w, w, p);
      const Value x = value(Rational(p)) * far.truth;
      ASSERT_TRUE(pair);
      EXPECT_EQ(widened(pair->sine), oracle::rounded(sin(x), format<T>));
      EXPECT_EQ(widened(pair->cosine), oracle::rounded(cos(x), format<T>));
    }
  }
}

TEST(FarAngles, AreRoundedOnceToF64) { expect_rounded_once<double>(); }
TEST(FarAngles, AreRoundedOnceToF32) { expect_rounded_once<float>(); }
TEST(FarAngles, AreRoundedOnceToF16) { expect_rounded_once<half>(); }

Value value(const std::vector<std::uint64_t>& limbs) { return value(Bignum(limbs), -digits_below); }

TEST(FarAngles, TurnsHaveAllDigitsFrom64BitsOfWholeTurnsOn) {
  std::vector<Turn> turns(300);
  ASSERT_TRUE(geometric_turns(Real(1e-20), power(5, fraction(3, 2)), turns));
  const Value unit = value(Bignum(1), -digits_below);
  int with_digits = 0;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    EXPECT_EQ(turns[k].digits.empty(), turns[k].exponent <= 64) << k;
    if (turns[k].digits.empty()) continue;
    ++with_digits;
    const Value power = pow(Value(5), Value(static_cast<double>(3 * k)) / Value(2));
    const Value off = (Value(1e-20) * power / (Value(2) * oracle::pi()) - value(turns[k].digits)) / unit;
    EXPECT_LT(off, Value(2)) << k;
    EXPECT_LT(Value(-2), off) << k;
  }
  EXPECT_GT(with_digits, 200);
  EXPECT_TRUE(turn(power(2, std::int64_t{1} << 15))->digits.empty()) << "as many turns are undecided";
}

TEST(FarAngles, SumsOfThemAreToldToo) {
  const Real a(1e250), b = power(10000, fraction(-1, 3));
  const Turn turns[] = {*turn(a), *turn(b)};
  for (const Dyadic& p : positions()) {
    TurnSum sum;
    sum.add(turns[0], p);
    sum.add(turns[1], dyadic(-17.25));
    const std::optional<SineCosine> quick = sum.waves();
    ASSERT_TRUE(quick);
    const Value x = value(Rational(p)) * Value(1e250) - Value(17.25) * pow(Value(10000), Value(-1) / Value(3));
    EXPECT_EQ(*settle<double>(quick->sine), oracle::rounded(sin(x), oracle::f64));
    EXPECT_EQ(*settle<double>(quick->cosine), oracle::rounded(cos(x), oracle::f64));
  }
}

}  // namespace
}  // namespace posenc::numerics
