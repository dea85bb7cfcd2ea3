// SPDX-License-Identifier: Apache-2.0
// Blocks of sums, factors and powers on every instruction set, against MPFR: what a kernel does not leave in doubt is
// the product rounded once.
#include "src/engine/tables/sincos_kernel.h"

#include <cmath>
#include <random>

#include "src/engine/tables/factor.h"
#include "src/engine/tables/sines.h"
#include "tests/engine/every_target.h"
#include "tests/numerics/formats.h"
#include "tests/oracle/sines.h"

namespace posenc::engine {
namespace {

using oracle::Number;

constexpr mpfr_prec_t precise = 400;

struct Exact {
  Number value{precise};
  explicit Exact(double x) { mpfr_set_d(value.get(), x, MPFR_RNDN); }
  mpfr_ptr get() { return value.get(); }
};

// Terms of whole blocks, at random: most with signs, one without, one of a shift.
struct RandomSums {
  std::vector<std::vector<std::uint64_t>> high, low, signs;
  std::vector<std::uint64_t> start;
  std::vector<SignedMultiples> terms;

  RandomSums(std::mt19937_64& random, std::size_t count) : high(count), low(count), signs(count) {
    const auto draw = [&](std::vector<std::uint64_t>& of, auto each) {
      for (std::size_t i = 0; i < block; ++i) of.push_back(each());
    };
    draw(start, [&] { return random(); });
    for (std::size_t t = 0; t < count; ++t) {
      const int drop = static_cast<int>(random() % 50);
      draw(high[t], [&] { return random() >> drop; });
      draw(low[t], [&] { return random(); });
      draw(signs[t], [&] { return random() % 2 == 0 ? 0 : ~std::uint64_t{0}; });
      const TurnMultiples of = {random() >> (32 + random() % 30), t == 1 ? static_cast<int>(random() % 40) : 0,
                                high[t].data(), low[t].data()};
      terms.push_back({of, t == 0 ? nullptr : signs[t].data(), random() % 2 == 0 ? 0 : ~std::uint64_t{0}});
    }
  }

  // The turns of number i, times 2 pi. A start is off by `late` units.
  void angle(std::size_t i, std::int64_t late, mpfr_ptr x) const {
    Number term(precise), part(precise);
    mpfr_set_ui(x, start[i], MPFR_RNDN);
    mpfr_add_si(x, x, late, MPFR_RNDN);
    mpfr_div_2ui(x, x, 64, MPFR_RNDN);
    for (const auto& [of, sign_of, sign] : terms) {
      mpfr_set_ui(term.get(), of.high[i], MPFR_RNDN);
      mpfr_mul_2ui(term.get(), term.get(), 64, MPFR_RNDN);
      mpfr_add_ui(term.get(), term.get(), of.low[i], MPFR_RNDN);
      mpfr_mul_ui(term.get(), term.get(), of.mantissa, MPFR_RNDN);
      mpfr_div_2si(term.get(), term.get(), 128 + of.shift, MPFR_RNDN);
      const bool below = ((sign_of == nullptr ? 0 : sign_of[i]) ^ sign) != 0;
      (below ? mpfr_sub : mpfr_add)(x, x, term.get(), MPFR_RNDN);
    }
    mpfr_const_pi(part.get(), MPFR_RNDN);
    mpfr_mul(x, x, part.get(), MPFR_RNDN);
    mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
  }
};

template <class T>
struct Block {
  T sine[block], cosine[block];
  std::uint16_t doubts[block];
  std::vector<bool> in_doubt = std::vector<bool>(block);

  template <class Write>
  explicit Block(const Write& write) {
    const std::size_t found = write(Waves<T>{sine, cosine, block, block, 1}, doubts);
    for (std::size_t i = 0; i < found; ++i) in_doubt[doubts[i]] = true;
  }
};

struct Tally {
  int certain = 0, doubtful = 0;
};

// RN(factor(i) wave) of every entry that is certain; factor multiplies its argument.
template <class T, class Factor>
void expect_rounded(const Block<T>& made, const RandomSums& sums, std::int64_t late, const Factor& factor,
                    Tally& tally) {
  Number x(precise), wave(precise);
  for (std::size_t i = 0; i < block; ++i) {
    ++(made.in_doubt[i] ? tally.doubtful : tally.certain);
    if (made.in_doubt[i]) continue;
    sums.angle(i, late, x.get());
    for (const bool sine : {true, false}) {
      (sine ? mpfr_sin : mpfr_cos)(wave.get(), x.get(), MPFR_RNDN);
      factor(i, wave.get());
      const T got = sine ? made.sine[i] : made.cosine[i];
      ASSERT_EQ(numerics::widened(got), oracle::rounded(wave, numerics::format<T>))
          << i << (sine ? " sine" : " cosine");
    }
  }
}

template <class T>
void expect_sums_rounded_once() {
  Tally tally;
  std::mt19937_64 random(11);
  for (int round = 0; round < 24; ++round) {
    const std::size_t terms = random() % 4;
    const RandomSums sums(random, terms);
    const double factors[] = {1, -1.2079441541679836, 0.0441941738241592, 4, 0x1p-8, 0.7071067811865476, 3.999};
    const double c = factors[round % std::size(factors)];
    const std::optional<Factor> factor = engine::factor(c);
    ASSERT_TRUE(factor);
    const int units_bits = static_cast<int>(std::bit_width(1 + 2 * terms + (round % 2 == 0 ? 0 : 40)));
    const int smallest = c == 1 ? smallest_of_sums(units_bits) : smallest_of_scaled(units_bits, factor->exponent);
    // A phase that is off by as much as is stated, less what the terms are off.
    const std::int64_t late = round % 2 == 0 ? 0 : round % 4 == 1 ? 40 : -40;
    const Block<T> made([&](const Waves<T>& to, std::uint16_t* doubts) {
      return sincos_kernels().write_sums.of<T>()({sums.start.data(), sums.terms}, {c, smallest}, to, doubts);
    });
    Exact exact(c);
    expect_rounded(made, sums, late, [&](std::size_t, mpfr_ptr x) { mpfr_mul(x, x, exact.get(), MPFR_RNDN); }, tally);
  }
  EXPECT_LT(tally.doubtful * 50, tally.certain);
}

TEST(Sums, OfF32AreRoundedOnceOnEveryTarget) { on_every_target(expect_sums_rounded_once<float>); }
TEST(Sums, OfF16AreRoundedOnceOnEveryTarget) { on_every_target(expect_sums_rounded_once<half>); }
TEST(Sums, OfBf16AreRoundedOnceOnEveryTarget) { on_every_target(expect_sums_rounded_once<bfloat16>); }

// x becomes x c 2^(log times + off).
void times_power(mpfr_ptr x, double c, double log, double times, double off) {
  Number power(precise);
  mpfr_set_d(power.get(), log, MPFR_RNDN);
  mpfr_mul_d(power.get(), power.get(), times, MPFR_RNDN);
  mpfr_add_d(power.get(), power.get(), off, MPFR_RNDN);
  mpfr_exp2(power.get(), power.get(), MPFR_RNDN);
  mpfr_mul_d(power.get(), power.get(), c, MPFR_RNDN);
  mpfr_mul(x, x, power.get(), MPFR_RNDN);
}

TEST(Powers, TimesWavesAreRoundedOnceOnEveryTarget) {
  on_every_target([] {
    Tally tally;
    std::mt19937_64 random(12);
    std::uniform_real_distribution<double> log(-1.8, 0.1);
    for (int round = 0; round < 24; ++round) {
      const RandomSums sums(random, 1);
      double logs[block];
      for (double& each : logs) each = log(random);
      const double times =
          std::ldexp(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5, static_cast<int>(random() % 7));
      const WavePowers by = {{round % 3 == 0 ? 1 : 1.25, smallest_of_scaled(2, 0)}, logs, times};
      const Block<float> made([&](const Waves<float>& to, std::uint16_t* doubts) {
        return sincos_kernels().write_powers({sums.start.data(), sums.terms}, by, to, doubts);
      });
      const auto factor = [&](std::size_t i, mpfr_ptr x) { times_power(x, by.all.factor, logs[i], times, 0); };
      expect_rounded(made, sums, 0, factor, tally);
    }
    EXPECT_LT(tally.doubtful * 100, tally.certain);
  });
}

// Half of the numbers have a sine or a cosine beside the size from which on the bound holds, 2^(u - 21): an angle of as
// many radians, 2^(u + 40.35) units of 2^-64 turns, from a whole quarter.
RandomSums beside_the_smallest(std::mt19937_64& random, int units_bits) {
  RandomSums sums(random, 0);
  for (std::size_t i = 0; i < block; i += 2) {
    const std::uint64_t from_quarter = (std::uint64_t{1} << (units_bits + 40)) * (8 + random() % 8) / 8;
    sums.start[i] = (random() << 62) + (random() % 2 == 0 ? from_quarter : 0 - from_quarter);
  }
  return sums;
}

// Phases and exponents that are off by all that sines.h allows, exponents of 64 in size, factors of either end.
TEST(Powers, KeepTheirBoundAtItsEndsOnEveryTarget) {
  on_every_target([] {
    Tally tally;
    std::mt19937_64 random(13);
    for (int round = 0; round < 3 * 3 * 3 * 4; ++round) {
      const int units_bits = std::array{1, 2, 6}[static_cast<std::size_t>(round % 3)];
      const std::int64_t units = (std::int64_t{1} << units_bits) - 1;
      const std::int64_t late = units * (round / 3 % 3 - 1);
      const double off = 0x1.fp-46 * (round / 9 % 3 - 1);  // beside what the kernel's own product rounds, 2^-48 of 64
      const double c = std::array{1.0, 4.0, 0x1p-8, 0.3}[static_cast<std::size_t>(round / 27)];
      const RandomSums sums = beside_the_smallest(random, units_bits);
      double logs[block];
      for (double& each : logs) each = std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5;
      for (std::size_t i = 0; i < block; i += 4) logs[i] = logs[i] < 0 ? -0.5 : 0.5;
      const double times = 128;
      const WavePowers by = {{c, smallest_of_scaled(units_bits, 0)}, logs, times};
      const Block<float> made([&](const Waves<float>& to, std::uint16_t* doubts) {
        return sincos_kernels().write_powers({sums.start.data(), sums.terms}, by, to, doubts);
      });
      const auto factor = [&](std::size_t i, mpfr_ptr x) { times_power(x, c, logs[i], times, off); };
      expect_rounded(made, sums, late, factor, tally);
    }
    EXPECT_LT(tally.doubtful * 3, tally.certain);  // of a quarter the wave may be below the smallest
  });
}

TEST(Factors, AreThoseThatKernelsTake) {
  for (const double taken : {1.0, -1.0, 0x1p-8, 4.0, 0.3, -3.5}) {
    const std::optional<Factor> made = engine::factor(taken);
    ASSERT_TRUE(made) << taken;
    EXPECT_EQ(made->nearest, taken);
    EXPECT_LE(std::abs(taken), std::ldexp(1, made->exponent));
    EXPECT_GT(std::abs(taken), std::ldexp(1, made->exponent - 1));
    EXPECT_EQ(made->as<float>(), static_cast<float>(taken));
  }
  for (const double left : {0.0, 0x1.fffffp-9, 4.0000001, -5.0, 1e300, 1e-300})
    EXPECT_FALSE(engine::factor(left)) << left;
}

}  // namespace
}  // namespace posenc::engine
