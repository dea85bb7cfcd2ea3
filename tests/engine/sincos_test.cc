// SPDX-License-Identifier: Apache-2.0
// The vector kernel's bound on every instruction set, and exact blocks against single exact values.
#include "src/engine/tables/sincos.h"

#include <cmath>
#include <random>

#include "src/engine/tables/sincos_kernel.h"
#include "src/engine/tables/sines.h"
#include "tests/engine/every_target.h"
#include "tests/engine/ladders.h"
#include "tests/oracle/sines.h"

namespace posenc::engine {
namespace {

TEST(Kernel, StaysWithinItsBoundOnEveryTarget) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> phases = {0, 1, ~std::uint64_t{0}};
  for (std::uint64_t eighth = 0; eighth < 8; ++eighth) {
    for (const std::uint64_t near : {-2, -1, 0, 1, 2}) phases.push_back((eighth << 61) + near);
  }
  while (phases.size() < 32 * block) phases.push_back(random());
  // near the axes
  while (phases.size() < 64 * block)
    phases.push_back((random() % 4 << 62) + (random() >> 14) - (std::uint64_t{1} << 49));

  std::vector<double> truth_sine, truth_cosine;
  oracle::Number x(200), pi(200);
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  for (const std::uint64_t phase : phases) {
    mpfr_mul_ui(x.get(), pi.get(), phase, MPFR_RNDN);
    mpfr_div_2ui(x.get(), x.get(), 63, MPFR_RNDN);
    truth_sine.push_back(oracle::rounded_wave(oracle::Wave::sine, x, oracle::f64));
    truth_cosine.push_back(oracle::rounded_wave(oracle::Wave::cosine, x, oracle::f64));
  }
  on_every_target([&] {
    double worst = 0;
    for (std::size_t start = 0; start < phases.size(); start += block) {
      double sine[block], cosine[block];
      sincos_kernels().of_phases(phases.data() + start, block, sine, cosine);
      for (std::size_t i = 0; i < block; ++i) {
        const double s = truth_sine[start + i], c = truth_cosine[start + i];
        if (std::abs(s) >= 0x1p-12) worst = std::max(worst, std::abs((sine[i] - s) / s));
        if (std::abs(c) >= 0x1p-12) worst = std::max(worst, std::abs((cosine[i] - c) / c));
        // 2^-60 with the phase's own error
        EXPECT_LT(std::abs(sine[i] - s), std::abs(s) < 0x1p-12 ? 0x1p-63 : 0x1p-51);
        EXPECT_LT(std::abs(cosine[i] - c), std::abs(c) < 0x1p-12 ? 0x1p-63 : 0x1p-51);
      }
    }
    // The stated 2^-47 has the phase's own error in it; the kernel alone keeps well below.
    EXPECT_LT(worst, 0x1p-49);
  });
}

// In long double, so that what a series leaves out is not hidden by roundings.
TEST(Series, LeaveOutNoMoreThanTheyState) {
  const auto sum = [](const double (&c)[6], long double u) {
    long double value = 0;
    for (std::size_t i = 6; i-- > 0;) value = value * u + c[i];
    return value;
  };
  for (int i = 0; i <= 100000; ++i) {
    const long double x = 0x1.921fb54442d18p-1L * i / 100000, u = x * x;
    EXPECT_LT(std::abs(x + x * u * sum(sine_series, u) - std::sin(x)), 0x1p-56L * std::exp2(-0.8L)) << i;
    EXPECT_LT(std::abs(1 + u * sum(cosine_series, u) - std::cos(x)), 0x1p-53L * std::exp2(-0.8L)) << i;
  }
}

// The bounds that sines.h states reach that far around every tie.
TEST(Series, BoundsInUnitsOfTheLastPlace) {
  EXPECT_EQ(relative_sines.units(), 128u);
  EXPECT_EQ(sines.units(), 1u << 13);
  EXPECT_EQ(std::ldexp(static_cast<double>(small_sines.units()), small_sines.smallest - 52), 0x1p-60);
  EXPECT_EQ(std::ldexp(static_cast<double>(sines.units()), sines.smallest - 52), 0x1p-51);
}

Rungs paper_rungs(std::size_t count) { return test::geometric(10000, count); }

template <class T>
void expect_blocks_equal_single_values() {
  const Rungs rungs = paper_rungs(131);
  const numerics::Dyadic positions[] = {numerics::dyadic(std::int64_t{0}),
                                        numerics::dyadic(std::int64_t{1}),
                                        numerics::dyadic(std::int64_t{-1}),
                                        numerics::dyadic(std::int64_t{77}),
                                        numerics::dyadic(INT64_MAX),
                                        numerics::dyadic(INT64_MIN),
                                        numerics::dyadic(0.5),
                                        numerics::dyadic(-3.25e-5),
                                        numerics::dyadic(1e-300),
                                        numerics::dyadic(0x1p53),
                                        numerics::dyadic(123456789.0),
                                        numerics::dyadic(-0x1.23456789p40)};
  for (const numerics::Dyadic& p : positions) {
    std::vector<numerics::Pair<T>> singles;
    for (std::size_t i = 0; i < 131; ++i) {
      singles.push_back(*numerics::exact_sine_cosine<T>(test::geometric_frequency(10000, i, 131), rungs.turns[i], p));
    }
    for (const std::size_t count : {0, 1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 131}) {
      for (const std::size_t step : {1, 2}) {
        for (const std::size_t cosines : {count, count - std::min<std::size_t>(count, 1), count / 2}) {
          const T untouched = T(9.0f);
          std::vector<T> row(2 * count + 2, untouched), expected = row;
          T* const sine = row.data();
          const Waves<T> to = {sine, step == 2 ? sine + 1 : sine + count, count, cosines, step};
          ASSERT_TRUE(sine_cosine(rungs, p, to));
          for (std::size_t i = 0; i < count; ++i) {
            expected[i * step] = singles[i].sine;
            if (i < cosines) expected[step == 2 ? 2 * i + 1 : count + i] = singles[i].cosine;
          }
          for (std::size_t i = 0; i < row.size(); ++i) {  // nothing is written beside the waves
            ASSERT_TRUE(row[i] == expected[i]) << p.mantissa << ' ' << p.exponent << ' ' << count << ' ' << i;
          }
        }
      }
    }
  }
}

TEST(SineCosine, F32BlocksAreTheSingleValues) { expect_blocks_equal_single_values<float>(); }
TEST(SineCosine, F64BlocksAreTheSingleValues) { expect_blocks_equal_single_values<double>(); }
TEST(SineCosine, F16BlocksAreTheSingleValues) { expect_blocks_equal_single_values<half>(); }
TEST(SineCosine, Bf16BlocksAreTheSingleValues) { expect_blocks_equal_single_values<bfloat16>(); }

TEST(SineCosine, EveryTargetGivesTheSameBits) {
  const Rungs rungs = paper_rungs(256);
  std::vector<std::vector<float>> all;
  on_every_target([&] {
    std::vector<float>& bits = all.emplace_back();
    for (std::int64_t p = -500; p < 500; ++p) {
      float sine[256], cosine[256];
      ASSERT_TRUE(sine_cosine(rungs, numerics::dyadic(p * 1000003), Waves<float>{sine, cosine, 256, 256, 1}));
      bits.insert(bits.end(), sine, sine + 256);
      bits.insert(bits.end(), cosine, cosine + 256);
    }
  });
  for (const std::vector<float>& bits : all) EXPECT_EQ(bits, all.front());
}

TEST(SineCosine, FrequenciesWithoutSenseOfPhaseGoTheCertainWay) {
  const std::vector<double> huge = {1e300, 0, 1e-300, 0x1p70};
  const Rungs rungs = test::listed(huge);
  EXPECT_FALSE(rungs.moderate);
  float sine[4], cosine[4];
  ASSERT_TRUE(sine_cosine(rungs, numerics::dyadic(std::int64_t{3}), Waves<float>{sine, cosine, 4, 4, 1}));
  for (std::size_t i = 0; i < 4; ++i) {
    oracle::Number x(60);
    mpfr_set_d(x.get(), huge[i], MPFR_RNDN);
    mpfr_mul_ui(x.get(), x.get(), 3, MPFR_RNDN);
    EXPECT_EQ(static_cast<double>(sine[i]),
              huge[i] == 0 ? 0 : oracle::rounded_wave(oracle::Wave::sine, x, oracle::f32));
    EXPECT_EQ(static_cast<double>(cosine[i]), oracle::rounded_wave(oracle::Wave::cosine, x, oracle::f32));
  }
}

}  // namespace
}  // namespace posenc::engine
