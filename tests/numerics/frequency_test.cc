// SPDX-License-Identifier: Apache-2.0
// Turns of numbers in closed form: ladders that rise, sums, and what is refused.
#include "src/numerics/frequency.h"

#include <gtest/gtest.h>

#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

using oracle::Value;

Value value(const Turn& t) {
  Bignum significand;
  for (std::size_t i = 4; i-- > 0;) significand = (significand << 64) + Bignum(t.significand[i]);
  return value(significand, t.exponent - 256);
}

TEST(Frequency, LaddersRiseAndStartAtAnyNumber) {
  std::vector<Turn> turns(200);
  const Value first = Value(0.3) * sqrt(Value(3));
  const Rational step = fraction(7, 5);
  ASSERT_TRUE(geometric_turns(Real(-0.3) * pi_to_the(1) * square_root(Real(3)), power(fraction(9, 7), step), turns));
  for (std::size_t k = 0; k < turns.size(); k += 9) {
    const Value exponent = Value(static_cast<double>(7 * k)) / Value(5);
    const Value truth = first / Value(2) * pow(Value(9) / Value(7), exponent);
    EXPECT_LT(relative_error(value(turns[k]), truth), -240) << k;
  }
  std::vector<Turn> octaves(40);
  ASSERT_TRUE(geometric_turns(pi_to_the(1), 2, octaves));
  for (std::size_t k = 0; k < octaves.size(); ++k) {
    EXPECT_EQ(octaves[k].exponent, static_cast<std::int64_t>(k));
    EXPECT_LT(relative_error(value(octaves[k]), value(Bignum(1), static_cast<std::int64_t>(k) - 1)), -240);
  }
}

TEST(Frequency, TurnsOfSumsAndOfNothing) {
  EXPECT_TRUE(turn(Real())->zero());
  EXPECT_EQ(turn(Real(1))->significand, unit_turn().significand);
  const Real close = power(3, fraction(1, 2)) - Real(1.7320508075688772);
  EXPECT_LT(
      relative_error(value(*turn(close)), (sqrt(Value(3)) - Value(1.7320508075688772)) / (Value(2) * oracle::pi())),
      -240)
      << "though 53 bits cancel";
  EXPECT_LT(relative_error(value(*turn(-close)), value(*turn(close))), -240);
  std::vector<Turn> none(3);
  EXPECT_FALSE(geometric_turns(1, power(3, Rational(0x1p40)), none));
  EXPECT_TRUE(none[0].zero());
}

}  // namespace
}  // namespace posenc::numerics
