// SPDX-License-Identifier: Apache-2.0
// Blocks of f64 on every instruction set that has them: MPFR's values, hard cases, and what is in doubt.
#include "src/engine/tables/f64_kernel.h"

#include <cmath>
#include <cstring>
#include <random>

#include "src/engine/tables/double_double.h"
#include "src/engine/tables/phase.h"
#include "src/engine/tables/sincos.h"
#include "tests/engine/every_target.h"
#include "tests/engine/ladders.h"
#include "tests/oracle/sines.h"

namespace posenc::engine {
namespace {

using numerics::Dyadic;
using numerics::dyadic;
using numerics::uint128;

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// ---- constants ------------------------------------------------------------------------------------

TEST(DoubledSeries, LeadingTermsAreTheReciprocalsOfFactorialsTo106Bits) {
  for (const int first : {0, 1}) {
    const DoubledSeries& series = first == 0 ? doubled_cosine : doubled_sine;
    for (std::size_t i = 0; i < DoubledSeries::all; ++i) {
      oracle::Number x(300), error(300);
      mpfr_fac_ui(x.get(), 2 * i + static_cast<unsigned>(first), MPFR_RNDN);
      mpfr_si_div(x.get(), i % 2 == 0 ? 1 : -1, x.get(), MPFR_RNDN);
      const bool leads = i < DoubledSeries::doubled;
      mpfr_set_d(error.get(), leads ? series.leading[i].high : series.rest[i - DoubledSeries::doubled], MPFR_RNDN);
      if (leads) mpfr_add_d(error.get(), error.get(), series.leading[i].low, MPFR_RNDN);
      mpfr_div(error.get(), error.get(), x.get(), MPFR_RNDN);
      mpfr_sub_ui(error.get(), error.get(), 1, MPFR_RNDN);
      EXPECT_LE(std::abs(mpfr_get_d(error.get(), MPFR_RNDN)), leads ? 0x1p-106 : 0x1p-52) << first << " " << i;
    }
  }
}

TEST(DoubledQuarter, IsAQuarterTurnOver64BitsTo106Bits) {
  oracle::Number pi(300);
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_div_2ui(pi.get(), pi.get(), 65, MPFR_RNDN);
  mpfr_sub_d(pi.get(), pi.get(), quarter_high, MPFR_RNDN);
  mpfr_sub_d(pi.get(), pi.get(), quarter_low, MPFR_RNDN);
  EXPECT_LT(std::abs(mpfr_get_d(pi.get(), MPFR_RNDN)), 0x1p-170);
}

TEST(Factor, IsTwoDoubles) {
  const numerics::Real third = numerics::Real(numerics::fraction(1, 3));
  for (const numerics::Real& scale : {third, -third, numerics::square_root(numerics::Real(2)), numerics::Real(1.5)}) {
    const Factor made = *factor(scale);
    const std::optional<double> rest = numerics::rounded<double>(scale + -numerics::Real(made.nearest));
    ASSERT_TRUE(rest);
    EXPECT_NEAR(made.rest, *rest, 0x1p-104);
  }
}

// ---- phases ---------------------------------------------------------------------------------------

TEST(WideMultipleOfTurns, IsTheFractionCutAfter128Bits) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 4000; ++i) {
    const std::uint64_t mantissa = random() >> random() % 64, high = random(), low = random();
    const int shift = i % 3 == 0 ? 0 : static_cast<int>(random() % 200);
    oracle::Number x(600);
    mpfr_set_ui(x.get(), high, MPFR_RNDN);
    mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
    mpfr_add_ui(x.get(), x.get(), low, MPFR_RNDN);
    mpfr_mul_ui(x.get(), x.get(), mantissa, MPFR_RNDN);
    mpfr_div_2ui(x.get(), x.get(), static_cast<unsigned long>(shift) + 128, MPFR_RNDN);
    mpfr_frac(x.get(), x.get(), MPFR_RNDN);
    mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
    const uint128 got = wide_multiple_of_turns(mantissa, shift, high, low);
    EXPECT_EQ(mpfr_get_ui(x.get(), MPFR_RNDD), static_cast<std::uint64_t>(got >> 64));
    mpfr_frac(x.get(), x.get(), MPFR_RNDN);
    mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
    EXPECT_EQ(mpfr_get_ui(x.get(), MPFR_RNDD), static_cast<std::uint64_t>(got));
  }
}

// Random ones, and near multiples of an eighth of a turn at every distance down to 2^-90.
std::vector<uint128> many_phases() {
  std::mt19937_64 random(1);
  const auto any = [&] { return uint128{random()} << 64 | random(); };
  std::vector<uint128> phases;
  while (phases.size() < 40 * block) phases.push_back(any());
  while (phases.size() < 80 * block) {
    const uint128 near = any() >> (2 + random() % 88), eighths = uint128{random() % 8} << 125;
    phases.push_back(random() % 2 == 0 ? eighths + near : eighths - near);
  }
  return phases;
}

struct True {
  double sine, cosine;
};
True truth(uint128 phase) {
  oracle::Number x(400), pi(400);
  mpfr_set_ui(x.get(), static_cast<std::uint64_t>(phase >> 64), MPFR_RNDN);
  mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
  mpfr_add_ui(x.get(), x.get(), static_cast<std::uint64_t>(phase), MPFR_RNDN);
  mpfr_div_2ui(x.get(), x.get(), 127, MPFR_RNDN);
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_mul(x.get(), x.get(), pi.get(), MPFR_RNDN);
  return {oracle::rounded_wave(oracle::Wave::sine, x, oracle::f64),
          oracle::rounded_wave(oracle::Wave::cosine, x, oracle::f64)};
}

// How many of the phases are in doubt; the others are expected to be rounded once.
std::size_t doubts_of(const std::vector<uint128>& phases, const std::vector<True>& expected) {
  std::size_t in_all = 0;
  for (std::size_t start = 0; start < phases.size(); start += block) {
    const std::size_t count = std::min(block, phases.size() - start);
    WidePhases of;
    for (std::size_t i = 0; i < count; ++i) of.set(i, phases[start + i]);
    double sine[block], cosine[block];
    std::uint16_t doubts[block];
    const std::size_t found = f64_kernels().write(of, 0, nullptr, {sine, cosine, count, count, 1}, doubts);
    for (std::size_t i = 0, next = 0; i < count; ++i) {
      if (next < found && doubts[next] == i) {
        ++next;
        continue;
      }
      EXPECT_TRUE(same_bits(sine[i], expected[start + i].sine)) << start + i;
      EXPECT_TRUE(same_bits(cosine[i], expected[start + i].cosine)) << start + i;
    }
    in_all += found;
  }
  return in_all;
}

TEST(F64Blocks, AreRoundedOnceOrInDoubtOnEveryTarget) {
  const std::vector<uint128> phases = many_phases();
  std::vector<True> expected;
  for (const uint128 phase : phases) expected.push_back(truth(phase));
  on_every_target([&] {
    if (f64_kernels().write == nullptr) return;
    // Of 2^-60 in size a wave has a last place of 2^-112, which is what phases are cut to; nearer ones are in doubt.
    EXPECT_LT(doubts_of(phases, expected), phases.size() / 3);
  });
}

// A phase whose sine lies half-way between two doubles and side 2^-bits of itself.
uint128 beside_a_tie(double sine, int bits, int side) {
  oracle::Number x(400), beside(400), pi(400);
  mpfr_set_d(x.get(), sine, MPFR_RNDN);
  mpfr_add_d(x.get(), x.get(), (std::nextafter(sine, 1) - sine) / 2, MPFR_RNDN);
  mpfr_set_si_2exp(beside.get(), side, -bits, MPFR_RNDN);
  mpfr_mul(beside.get(), beside.get(), x.get(), MPFR_RNDN);
  mpfr_add(x.get(), x.get(), beside.get(), MPFR_RNDN);
  mpfr_asin(x.get(), x.get(), MPFR_RNDN);
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_div(x.get(), x.get(), pi.get(), MPFR_RNDN);
  mpfr_mul_2ui(x.get(), x.get(), 63, MPFR_RNDN);
  const std::uint64_t high = mpfr_get_ui(x.get(), MPFR_RNDD);
  mpfr_frac(x.get(), x.get(), MPFR_RNDN);
  mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
  return uint128{high} << 64 | mpfr_get_ui(x.get(), MPFR_RNDD);
}

// Where the error were larger than is stated, half of those that are decided would be wrong.
TEST(F64Blocks, AreDecidedRightBesideTiesFromTheStatedBoundOn) {
  std::mt19937_64 random(7);
  std::vector<uint128> near, farther;
  for (int i = 0; i < 4000; ++i) {
    const double sine =
        std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, -1 - static_cast<int>(random() % 9));
    const uint128 quarter = uint128{random() % 4} << 126;
    near.push_back(quarter + beside_a_tie(sine, 82 + static_cast<int>(random() % 6), random() % 2 == 0 ? 1 : -1));
    farther.push_back(quarter + beside_a_tie(sine, 74 + static_cast<int>(random() % 8), random() % 2 == 0 ? 1 : -1));
  }
  std::vector<True> of_near, of_farther;
  for (const uint128 phase : near) of_near.push_back(truth(phase));
  for (const uint128 phase : farther) of_farther.push_back(truth(phase));
  on_every_target([&] {
    if (f64_kernels().write == nullptr) return;
    EXPECT_GT(doubts_of(near, of_near), near.size() / 2);
    EXPECT_EQ(doubts_of(farther, of_farther), 0u);
  });
}

TEST(F64Blocks, LeaveNoneOfAHundredThousandOrdinaryPhasesInDoubt) {
  std::mt19937_64 random(2);
  on_every_target([&] {
    const auto write = f64_kernels().write;
    if (write == nullptr) return;
    std::size_t found = 0;
    for (int i = 0; i < 100'000; i += block) {
      WidePhases of;
      for (std::size_t k = 0; k < block; ++k) of.set(k, uint128{random()} << 64 | random());
      double sine[block], cosine[block];
      std::uint16_t doubts[block];
      found += write(of, 2, nullptr, {sine, cosine, block, block, 1}, doubts);
    }
    EXPECT_EQ(found, 0u);
  });
}

// ---- positions ------------------------------------------------------------------------------------

// Positions whose cosine or sine, at 1 radian a position, lies within 2^-100 of half-way between two doubles: cos x =
// 1 - x^2 / 2 + .. just below 1, and sin x = x - x^3 / 6 + .. .
std::vector<double> hard_positions() {
  std::vector<double> hard;
  for (int odd = 1; odd < 60; odd += 2) {
    hard.push_back(std::sqrt(odd) * 0x1.6a09e667f3bcdp-27);
    hard.push_back(std::cbrt(odd * 3.0) * 0x1p-18);
    hard.push_back(std::cbrt(odd * 6.0) * 0x1p-26);
  }
  return hard;
}

TEST(F64Rows, AreRoundedOnceAtHardPositions) {
  const Rungs rungs = test::listed({1.0, -1.0});
  on_every_target([&] {
    for (const double at : hard_positions()) {
      for (int near = -2; near <= 2; ++near) {
        const double p = at * (1 + near * 0x1p-52);
        double sine[2], cosine[2];
        ASSERT_TRUE(sine_cosine<double>(rungs, dyadic(p), {sine, cosine, 2, 2, 1}));
        oracle::Number x(400);
        mpfr_set_d(x.get(), p, MPFR_RNDN);
        EXPECT_TRUE(same_bits(sine[0], oracle::rounded_wave(oracle::Wave::sine, x, oracle::f64))) << p;
        EXPECT_TRUE(same_bits(cosine[0], oracle::rounded_wave(oracle::Wave::cosine, x, oracle::f64))) << p;
        EXPECT_TRUE(same_bits(sine[0], sine[1])) << "a row has the sines of |w|";
      }
    }
  });
}

template <class Positions>
void expect_certain_rows(const Rungs& rungs, const Positions& positions) {
  const std::size_t n = rungs.size();
  for (const Dyadic& p : positions) {
    std::vector<double> row(2 * n);
    for (const std::size_t step : {std::size_t{1}, std::size_t{2}}) {
      double* const cosines = row.data() + (step == 1 ? n : 1);
      ASSERT_TRUE(sine_cosine<double>(rungs, p, {row.data(), cosines, n, n - n % 2, step}));
      for (std::size_t k = 0; k < n; ++k) {
        const numerics::Pair<double> pair = *certain_pair<double>(rungs, k, p);
        const bool turned = p.negative && !rungs.turns[k].zero();
        EXPECT_TRUE(same_bits(row[k * step], turned ? -pair.sine : pair.sine)) << p.mantissa << " " << k;
        if (k >= n - n % 2) continue;
        EXPECT_TRUE(same_bits(cosines[k * step], pair.cosine)) << p.mantissa << " " << k;
      }
    }
  }
}

std::vector<Dyadic> positions_of_all_sizes() {
  std::vector<Dyadic> positions;
  for (const std::int64_t p : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-7}, std::int64_t{8191},
                               (std::int64_t{1} << 31) + 11, (std::int64_t{1} << 53) + 1, INT64_MAX, INT64_MIN}) {
    positions.push_back(dyadic(p));
  }
  for (const double p : {0.5, -0.1, 1e-9, 0x1p-70, 12345.6789, 0x1p60, 0x1.8p80, -0x1.fffffp40}) {
    positions.push_back(dyadic(p));
  }
  return positions;
}

TEST(F64Rows, AreTheCertainValuesAtPositionsOfEverySizeAndWidth) {
  for (const std::size_t count : {1, 2, 7, 8, 31, 128, 131, 300}) {
    const Rungs rungs = test::geometric(10000, count);
    on_every_target([&] { expect_certain_rows(rungs, positions_of_all_sizes()); });
  }
}

TEST(F64Rows, AreTheCertainValuesAtPositionsThatNoKernelTells) {
  const Rungs rungs = test::geometric(10000, 3);
  on_every_target([&] { expect_certain_rows(rungs, std::vector<Dyadic>{dyadic(0x1p-1074), dyadic(1e300)}); });
}

TEST(F64Rows, AreTheCertainValuesOfFrequenciesOfWholeTurnsOfZeroAndInHalfTurns) {
  const Rungs turns = test::listed({1000, 6.5, 0, 1e-12, 3e18, -2}),
              half_turns = test::listed({1, 0.5, 0.1, 0.25, -3}, numerics::pi_to_the(1));
  on_every_target([&] {
    expect_certain_rows(turns, positions_of_all_sizes());
    expect_certain_rows(half_turns, positions_of_all_sizes());
  });
}

TEST(F64Rows, TimesAFactorAreTheCertainValues) {
  for (const double c : {1.2079441541679836, -0.7, 4.0, 0x1p-8, 1.5}) {
    const Rungs rungs = *rungs_of({plan::Values{{1, 0.5, 0.1, 0.003, 1e-5}, 1}}, c);
    on_every_target([&] { expect_certain_rows(rungs, positions_of_all_sizes()); });
  }
}

}  // namespace
}  // namespace posenc::engine
