// SPDX-License-Identifier: Apache-2.0
// Real numbers in closed form against MPFR: enclosed, compared, rounded once; and undecided in bounded time.
#include "src/numerics/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

using oracle::Value;

struct NumberCase {
  const char* name;
  Real ours;
  Value truth;
};

// Every kind of number that a convention asks for.
std::vector<NumberCase> numbers() {
  const auto ladder = [](double base, std::int64_t n, std::int64_t d) { return power(base, fraction(n, d)); };
  const auto truth = [](double base, double n, double d) { return pow(Value(base), Value(n) / Value(d)); };
  const Value pi = oracle::pi(), one = 1;
  const Value length = 4096, r = 128;
  const auto bound = [&](double turns) {
    return r * log(length / (Value(2) * pi * Value(turns))) / (Value(2) * log(Value(10000)));
  };
  const auto our_bound = [](std::int64_t turns) {
    return quotient(Real(128) * logarithm(quotient(Real(4096), Real(2 * turns) * pi_to_the(1))),
                    Real(2) * logarithm(Rational(10000)));
  };
  const Value low = bound(32), high = bound(1), ramp = (Value(29) - low) / (high - low);
  const Real our_ramp = quotient(Real(29) - our_bound(32), our_bound(1) - our_bound(32));
  const Value w = truth(10000, -58, 128), llama = (Value(8192) * w / (Value(2) * pi) - one) / Value(3);
  const Real our_w = ladder(10000, -58, 128);
  const Real our_llama = (Real(8192) * our_w * Real(fraction(1, 2)) * pi_to_the(-1) - Real(1)) * Real(fraction(1, 3));
  return {
      {"falling", our_w, w},
      {"rising", ladder(10000, 77, 128), truth(10000, 77, 128)},
      {"rising far", ladder(3.7, 5000, 7), truth(3.7, 5000, 7)},
      {"falling far", ladder(3.7, -5000, 7), truth(3.7, -5000, 7)},
      {"octave in half turns", ladder(2, 9, 1) * pi_to_the(1), Value(512) * pi},
      {"part of a quarter turn", Real(fraction(-7, 6)) * pi_to_the(1), Value(-7) * pi / Value(6)},
      {"listed, negative", Real(-0.1), Value(-0.1)},
      {"listed in turns", Real(-0.1) * Real(2) * pi_to_the(1), Value(-0.2) * pi},
      {"over pi", our_w * our_w * pi_to_the(-1), w * w / pi},
      {"NTK", ladder(500000, -6, 128) * ladder(8, -6, 126), truth(500000, -6, 128) * truth(8, -6, 126)},
      {"base near 1", ladder(1 + 0x1p-52, 1, 3), truth(1 + 0x1p-52, 1, 3)},
      {"base tiny", ladder(0x1.8p-1000, -1, 3), truth(0x1.8p-1000, -1, 3)},
      {"llama3's band", (Real(1) - our_llama) * our_w * Real(fraction(1, 8)) + our_llama * our_w,
       (one - llama) * w / Value(8) + llama * w},
      {"YaRN without truncation", our_w * Real(fraction(1, 40)) * our_ramp + our_w * (Real(1) - our_ramp),
       w / Value(40) * ramp + w * (one - ramp)},
      {"YaRN's magnitude", Real(fraction(1, 10)) * logarithm(Rational(40)) + Real(1), log(Value(40)) / Value(10) + one},
      {"LongRoPE's magnitude", square_root(Real(1) + quotient(logarithm(Rational(32)), logarithm(Rational(4096)))),
       sqrt(one + log(Value(32)) / log(Value(4096)))},
      {"LongRoPE's at 33", square_root(Real(1) + quotient(logarithm(Rational(33)), logarithm(Rational(4096)))),
       sqrt(one + log(Value(33)) / log(Value(4096)))},
      {"runaway", -logarithm(Rational(10000)) * Real(fraction(1, 255)) * exponential(Real(13)),
       Value(0) - log(Value(10000)) / Value(255) * exp(Value(13))},
      {"a decay", ladder(0.7, -1023, 1024), truth(0.7, -1023, 1024)},
      {"huge rational", Real(power(fraction(10007, 3), 300)), pow(Value(10007) / Value(3), Value(300))},
      {"root of 2 over d", square_root(Real(fraction(2, 768))), sqrt(Value(2) / Value(768))},
      {"a clipped pair", our_w * (Real(1) + cosine(Real(fraction(18, 19)) * pi_to_the(1))) * Real(fraction(1, 2)),
       w * (one + cos(Value(18) / Value(19) * pi)) / Value(2)},
      {"a known cosine", cosine(Real(fraction(2, 3)) * pi_to_the(1)), Value(-0.5)},
      {"product of logarithms", logarithm(Rational(3)) * logarithm(Rational(5)), log(Value(3)) * log(Value(5))},
  };
}

TEST(Evaluate, EveryKindOfNumberIsEnclosedAtEveryPrecision) {
  for (const NumberCase& c : numbers()) {
    for (const std::int64_t bits : {64, 256, 1000}) {
      const Enclosure e = enclose(c.ours, bits);
      EXPECT_TRUE(holds(e, c.truth)) << c.name << " at " << bits;
      EXPECT_GE(correct_bits(e), bits - 4) << c.name;
    }
  }
}

template <class T>
void expect_numbers_rounded_once() {
  for (const NumberCase& c : numbers()) {
    const std::optional<T> ours = rounded<T>(c.ours);
    ASSERT_TRUE(ours) << c.name;
    EXPECT_EQ(widened(*ours), oracle::rounded(c.truth, format<T>)) << c.name;
  }
}

TEST(Evaluate, F64IsRoundedOnce) { expect_numbers_rounded_once<double>(); }
TEST(Evaluate, F32IsRoundedOnce) { expect_numbers_rounded_once<float>(); }
TEST(Evaluate, F16IsRoundedOnce) { expect_numbers_rounded_once<half>(); }
TEST(Evaluate, Bf16IsRoundedOnce) { expect_numbers_rounded_once<bfloat16>(); }

TEST(Evaluate, RationalPowersThatAreTiesGoToEven) {
  const Real tie = power(Rational(Bignum(1), Bignum(1), 48, false) + Rational(0x1p25) + Rational(1), fraction(1, 2));
  EXPECT_EQ(tie, Real(0x1p24 + 1)) << "(2^24 + 1)^2 is a square";
  EXPECT_EQ(rounded<float>(tie), 0x1p24f);
  EXPECT_EQ(rounded<float>(tie + Real(2)), 0x1p24f + 4);
  EXPECT_EQ(rounded<float>(tie * power(3, fraction(1, 3)) * power(3, fraction(-1, 3))), 0x1p24f);
}

TEST(Evaluate, SignsAndFloorsAreDecided) {
  EXPECT_EQ(sign(Real()), 0);
  EXPECT_EQ(sign(Real(-0.5)), -1);
  EXPECT_EQ(sign(power(3, fraction(1, 2)) - Real(1.7320508075688772)), 1) << "the double below sqrt 3";
  EXPECT_EQ(sign(pi_to_the(1) - Real(fraction(355, 113))), -1);
  EXPECT_EQ(less(logarithm(Rational(2)), Real(0.5)), false);
  EXPECT_EQ(less(Real(8192) * power(10000, fraction(-1, 3)), Real(2000) * pi_to_the(1)), true);
  EXPECT_EQ(floor(logarithm(Rational(10000)) * Real(1000)), 9210);
  EXPECT_EQ(floor(-pi_to_the(1)), -4);
  EXPECT_EQ(floor(Real(fraction(-9, 3))), -3);
  EXPECT_EQ(floor(Real(0x1p60) * pi_to_the(1) * Real(fraction(1, 4))), 905502432259640355);
  EXPECT_FALSE(floor(Real(0x1p70) * pi_to_the(1)));
}

TEST(Evaluate, WhatNeverNarrowsIsUndecidedInBoundedTime) {
  static int asked = 0;
  const auto between = [](std::span<const Real>, std::int64_t) {
    ++asked;
    return Enclosure{false, Bignum(1) << 200, -199, 199};  // 2 +- 1, whatever is asked
  };
  Real x;
  x.terms.push_back({.factor = 1, .formulas = {{"between 1 and 3", between, {}}}});
  EXPECT_FALSE(rounded<float>(x));
  EXPECT_EQ(asked, 8) << "256 to 2^15 bits";
  EXPECT_FALSE(sign(x - Real(2)));
  EXPECT_EQ(sign(x + Real(1000)), 1);
  EXPECT_FALSE(floor(x));
}

TEST(Evaluate, AZeroThatItsFormHidesIsUndecided) {
  // exp(ln 2) = 2. 2^15 bits of it take a second; the sums of wider forms take no other way.
  const Real hidden = exponential(logarithm(Rational(2))) - Real(2);
  EXPECT_FALSE(hidden.zero());
  EXPECT_FALSE(sign(hidden));
}

}  // namespace
}  // namespace posenc::numerics
