// SPDX-License-Identifier: Apache-2.0
// Contexts: their rules, and the numbers of regimes.
#include <gtest/gtest.h>
#include <posenc/context.h>
#include <posenc/preset.h>

#include <cmath>
#include <limits>

#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"

namespace posenc {
namespace {

using test::said;

Rotary scaled(const Scaling& scaling) {
  Rotary rotary = test::half_rotary;
  std::get<Geometric>(rotary.ladders[0]).scaling = scaling;
  return rotary;
}

TEST(Context, StatesNumbersInRange) {
  EXPECT_EQ(said(check_context({})), "nothing");
  EXPECT_EQ(said(check_context({.length = 1, .centre = -0x1p53, .learned = -3.5})), "nothing");
  EXPECT_EQ(said(check_context({.length = -1})), "[context] length must be >= 0, got -1");
  EXPECT_EQ(said(check_context({.centre = 1e300})), "[context] centre must be a number of size up to 2^53, got 1e+300");
  EXPECT_EQ(said(check_context({.centre = std::nan("")})),
            "[context] centre must be a number of size up to 2^53, got nan");
  EXPECT_EQ(said(check_context({.learned = std::numeric_limits<double>::infinity()})),
            "[context] learned must be finite, got inf");
}

TEST(Regime, IsZeroWhereTheLengthHasNoEffect) {
  for (const Preset& preset : presets()) {
    if (test::depends_on_length(preset.convention)) continue;
    for (const std::int64_t length : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 40}) {
      EXPECT_EQ(regime(preset.convention, length), 0) << preset.name;
    }
  }
}

TEST(Regime, ChangesOnceUnderLongRope) {
  const Rotary rotary = scaled(LongRopeScaling{{1, 1}, {2, 4}, 4096});
  EXPECT_EQ(regime(rotary, 0), 0);
  EXPECT_EQ(regime(rotary, 4096), 0);
  EXPECT_EQ(regime(rotary, 4097), 1);
  EXPECT_EQ(regime(rotary, std::numeric_limits<std::int64_t>::max()), 1);
}

TEST(Regime, IsEveryLengthBeyondTheStatedOneUnderDynamicNtk) {
  const Rotary rotary = scaled(DynamicNtkScaling{4, 2048});
  EXPECT_EQ(regime(rotary, 1), 0);
  EXPECT_EQ(regime(rotary, 2048), 0);
  EXPECT_EQ(regime(rotary, 2049), 1);
  EXPECT_EQ(regime(rotary, 4096), 2048);
}

TEST(Regime, OfSeveralLaddersChangesWithAnyOfThem) {
  Rotary rotary = scaled(LongRopeScaling{{1}, {2}, 16});
  rotary.axes = {"x", "y"};
  rotary.ladders.push_back(scaled(LongRopeScaling{{1}, {2}, 64}).ladders[0]);
  EXPECT_EQ(regime(rotary, 16), 0);
  EXPECT_EQ(regime(rotary, 17), 1);
  EXPECT_EQ(regime(rotary, 65), 2);
}

TEST(Regime, RefusesANegativeLength) {
  EXPECT_EQ(test::thrown([] { regime(test::half_rotary, -1); }), "[regime] length must be >= 0, got -1");
}

}  // namespace
}  // namespace posenc
