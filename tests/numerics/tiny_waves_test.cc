// SPDX-License-Identifier: Apache-2.0
// Waves just below a binary fraction, which may be half-way between two numbers, against MPFR.
#include <gtest/gtest.h>

#include "src/numerics/sine_cosine.h"
#include "tests/numerics/formats.h"

namespace posenc::numerics {
namespace {

using oracle::Value;

template <class T>
void expect_waves(double w, double p, double scale) {
  const Real x = Real(w) * Real(p);
  const Value truth = Value(w) * Value(p);
  EXPECT_EQ(widened(*exact_wave<T>(Wave::sine, x, scale)), oracle::rounded(sin(truth) * Value(scale), format<T>))
      << w << " " << p << " " << scale;
  EXPECT_EQ(widened(*exact_wave<T>(Wave::cosine, x, scale)), oracle::rounded(cos(truth) * Value(scale), format<T>))
      << w << " " << p << " " << scale;
}

TEST(TinyWaves, SinesJustBelowHalfWayAreRoundedDown) {
  EXPECT_EQ(*exact_wave<double>(Wave::sine, Real(0x1p-1074) * Real(0.5), 1), 0);
  EXPECT_EQ(*exact_wave<double>(Wave::sine, Real(3 * 0x1p-1074) * Real(0.5), 1), 0x1p-1074);
  EXPECT_EQ(*exact_wave<double>(Wave::sine, Real(3 * 0x1p-1074) * Real(-0.5), 1), -0x1p-1074);
  for (int k = -9; k < 40; k += 2) expect_waves<double>(k * 0x1p-1074, 0.5, 1);
}

TEST(TinyWaves, TimesAScaleAreRoundedOnce) {
  const double half_way = 1 + 0x1p-24;  // of f32
  for (const double w : {0x1p-55, 0x1p-57, 0x1p-58, 0x1p-60, 0x1p-75, 0x1p-126, 0x1p-149, 0x1p-600, 0x1p-1000}) {
    for (const double p : {1.0, -1.0, half_way, 1 + 3 * 0x1p-24, 1 + 0x1p-11, 1.5, 1 - 0x1p-25, 1.0 / 3}) {
      for (const double scale : {1.0, -1.0, half_way, 0.1, 3.0, 0x1p-900}) {
        expect_waves<double>(w, p, scale);
        expect_waves<float>(w, p, scale);
        expect_waves<half>(w, p, scale);
        expect_waves<bfloat16>(w, p, scale);
      }
    }
  }
}

TEST(TinyWaves, AHundredthTimesAHalfWayPositionIsRoundedDown) {
  const Real x = Real(fraction(1, 100)) * Real(50 * 0x1p-1074);
  EXPECT_EQ(*exact_wave<double>(Wave::sine, x, 1), 0);
}

}  // namespace
}  // namespace posenc::numerics
