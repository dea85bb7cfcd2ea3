// SPDX-License-Identifier: Apache-2.0
// Ladders made ready: quarter turns by steps are those of each entry's closed form.
#include "src/engine/tables/frequencies.h"

#include <gtest/gtest.h>

namespace posenc::engine {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;

plan::Rule in_turns(const Real& first, double base, const Rational& exponent, std::size_t count) {
  return {first * numerics::pi_to_the(1), {{base, exponent}}, count};
}

// 2^-200 of each other, or both 0.
void expect_near(const numerics::Turn& a, const numerics::Turn& b, std::size_t k) {
  const auto number = [](const numerics::Turn& turn) {
    return Rational(numerics::Bignum(turn.significand), numerics::Bignum(1), turn.exponent - 256, false);
  };
  const Rational x = number(a), y = number(b), apart = x < y ? y - x : x - y;
  EXPECT_LE(apart, x * Rational(0x1p-200)) << k;
  EXPECT_EQ(a.digits.size(), b.digits.size()) << k;
}

void expect_closed_form(const plan::Ladder& ladder) {
  const std::optional<Rungs> rungs = rungs_of(ladder, 1);
  ASSERT_TRUE(rungs);
  ASSERT_EQ(rungs->size(), ladder.size());
  for (std::size_t k = 0; k < ladder.size(); ++k) {
    const Real w = ladder[k];
    EXPECT_EQ(rungs->is_negative(k), numerics::sign(w) < 0) << k;
    expect_near(rungs->turns[k], *numerics::turn(w), k);
    const numerics::QuarterTurns wanted = numerics::quarter_turns_of(rungs->is_negative(k) ? -w : w);
    const numerics::QuarterTurns found = rungs->quarters.empty() ? numerics::QuarterTurns{} : rungs->quarters[k];
    EXPECT_EQ(found.denominator, wanted.denominator) << k;
    EXPECT_EQ(found.exponent, wanted.exponent) << k;
    EXPECT_EQ(found.numerator, wanted.numerator) << k;
  }
}

TEST(Frequencies, QuarterTurnsAreThoseOfTheClosedForm) {
  for (const double base : {2.0, 20.0, 100.0, 10000.0, 1.5}) {
    for (std::int64_t d = 2; d <= 64; d *= 2) {
      for (const std::int64_t n : {-2, -1, 1}) {
        SCOPED_TRACE(std::to_string(base) + "^(" + std::to_string(n) + " / " + std::to_string(d) + ")");
        expect_closed_form({in_turns(2, base, fraction(n, d), 40)});
        expect_closed_form({in_turns(-3.25, base, fraction(n, d), 40)});
      }
    }
  }
}

// Its second entry is half a turn, though the first is no rational multiple of pi.
TEST(Frequencies, EntriesBehindAnIrrationalFirstAreFound) {
  expect_closed_form({in_turns(numerics::power(2, fraction(1, 2)), 2, fraction(-1, 2), 20)});
}

plan::Ladder even(const Real& unit, const Real& from, const Real& to, std::size_t count) {
  const plan::Ramp ramp = {plan::Ramp::Over::index, 1, 0, static_cast<std::int64_t>(count) - 1, from, to};
  return {plan::Scaled{{unit, {}, count}, {{count, ramp}}}};
}

TEST(Frequencies, EntriesAtEqualDistancesAreTheirClosedForm) {
  const Real pi = numerics::pi_to_the(1);
  for (const Real& unit :
       {pi, pi * Real(fraction(1, 2)), pi * Real(-2), Real(1), pi * numerics::power(2, fraction(1, 2))}) {
    for (const std::size_t count : {2, 3, 16, 33}) {
      expect_closed_form(even(unit, 1, 112, count));
      expect_closed_form(even(unit, -1, 1, count));  // through 0, where an entry is it
      expect_closed_form(even(unit, Real(0.1), Real(fraction(-7, 3)), count));
      expect_closed_form(even(unit, 1, Real(0x1p80), count));  // with more whole turns than a turn has bits
      expect_closed_form(even(unit, 1, numerics::logarithm(Rational(3)), count));
    }
  }
}

}  // namespace
}  // namespace posenc::engine
