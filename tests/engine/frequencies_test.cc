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

void expect_closed_form(const plan::Rule& rule) {
  const std::optional<Rungs> rungs = rungs_of({rule}, 1);
  ASSERT_TRUE(rungs);
  const plan::Ladder ladder = {rule};
  for (std::size_t k = 0; k < rule.count; ++k) {
    const Real w = ladder[k];
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
        expect_closed_form(in_turns(2, base, fraction(n, d), 40));
        expect_closed_form(in_turns(-3.25, base, fraction(n, d), 40));
      }
    }
  }
}

// Its second entry is half a turn, though the first is no rational multiple of pi.
TEST(Frequencies, EntriesBehindAnIrrationalFirstAreFound) {
  expect_closed_form(in_turns(numerics::power(2, fraction(1, 2)), 2, fraction(-1, 2), 20));
}

}  // namespace
}  // namespace posenc::engine
