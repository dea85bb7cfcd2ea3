// SPDX-License-Identifier: Apache-2.0
// Values that no enumerator has are refused before anything is written.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;
using test::thrown;

const Convention& paper = preset("transformer").convention;
const Convention& rope = preset("rope-half").convention;

TEST(Enumerators, OfPositionsAreAskedBeforeTheyAreRead) {
  std::vector<float> table(3 * 4, 9.0f);
  const View out = view(table.data(), {3, 4});
  for (const auto kind : {Positions::Kind{}, static_cast<Positions::Kind>(77)}) {
    Positions positions = Positions::range(0, 3);
    positions.kind_ = kind;
    const std::string rule = "positions must be made by range, at or list, got none";
    EXPECT_EQ(said(check_sinusoid(paper, positions, out)), "[sinusoid] " + rule);
    EXPECT_EQ(said(check_rotary(rope, positions, out, out)), "[rotary] " + rule);
    EXPECT_EQ(thrown([&] { sinusoid(paper, positions, out); }), "[sinusoid] " + rule);
  }
  EXPECT_EQ(table, std::vector<float>(3 * 4, 9.0f));
}

TEST(Enumerators, OfDirectionsAreAskedByEveryRotation) {
  std::vector<float> rows(3 * 4, 9.0f);
  const View out = view(rows.data(), {3, 4});
  const RotaryRows ready(rope, 4);
  for (const auto direction : {Direction{}, static_cast<Direction>(77)}) {
    const std::string rule = "[rotary] direction must be forward or inverse, got none";
    EXPECT_EQ(said(check_direction(direction)), rule);
    EXPECT_EQ(thrown([&] { rotary(rope, Positions::range(0, 3), out, out, direction); }), rule);
    EXPECT_EQ(thrown([&] { ready.rotate(Positions::range(0, 3), out, out, direction); }), rule);
  }
  EXPECT_EQ(rows, std::vector<float>(3 * 4, 9.0f));
}

TEST(Enumerators, OfReadingsAreAskedByEveryTable) {
  std::vector<float> table(3 * 4, 9.0f);
  const View out = view(table.data(), {3, 4});
  const SinusoidRows ready(paper, 4);
  for (const auto reading : {Reading{}, static_cast<Reading>(9)}) {
    const std::string rule = "[sinusoid] reading must be stated, got none";
    EXPECT_EQ(thrown([&] { sinusoid(paper, Positions::range(0, 3), out, exact(), serial, reading); }), rule);
    EXPECT_EQ(thrown([&] { ready.write(Positions::range(0, 3), out, serial, reading); }), rule);
  }
  EXPECT_EQ(table, std::vector<float>(3 * 4, 9.0f));
}

}  // namespace
}  // namespace posenc
