// SPDX-License-Identifier: Apache-2.0
// Which sections a width admits: pairs fill the row, or leave columns or are cut where `rest` says so.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/rotary.h>

#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"

namespace posenc {
namespace {

using test::Counts;
using test::said;

std::string width_64(const Sections& sections, RestColumns rest) {
  Waves waves = test::paper_grid;
  waves.sections = sections, waves.rest = rest;
  return said(check_width(waves, 64));
}

TEST(Sections, FillTheRowUnlessTheRestIsStated) {
  const std::string rule = "[convention] sections must have 32 pairs for width 64, got ";
  EXPECT_EQ(width_64(Counts{16, 16}, RestColumns::refused), "nothing");
  EXPECT_EQ(width_64(Counts{24, 8}, RestColumns::refused), "nothing");
  EXPECT_EQ(width_64(Counts{20, 20}, RestColumns::refused), rule + "40");
  EXPECT_EQ(width_64(Counts{8, 8}, RestColumns::refused), rule + "16");
  EXPECT_EQ(width_64(Counts{8, 8}, RestColumns::zero_columns), "nothing");
  EXPECT_EQ(width_64(Counts{20, 20}, RestColumns::zero_columns),
            "[convention] sections must have at most 32 pairs for width 64, got 40");
  EXPECT_EQ(width_64(Counts{20, 20}, RestColumns::truncated), "nothing");
  EXPECT_EQ(width_64(Counts{8, 8}, RestColumns::truncated), rule + "16");
}

TEST(Sections, OfAnySizeAreRefusedBeforeAnythingIsMade) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  for (const RestColumns rest : {RestColumns::refused, RestColumns::zero_columns, RestColumns::truncated}) {
    EXPECT_EQ(width_64(Counts{most + 1, 1}, rest), "[convention] sections must be 0 to 2^30, got 1073741825 at [0]");
    EXPECT_TRUE(width_64(Counts{most, most}, rest).ends_with("32 pairs for width 64, got 1073741824"));
  }
  EXPECT_EQ(width_64(AxisShares{{most, most}, most, "x"}, RestColumns::refused),
            "[convention] sections.shares must be at most `of` in all, got [1073741824, 1073741824]");
  EXPECT_EQ(width_64(AxisShares{{1, 0}, most, "x"}, RestColumns::refused), "nothing") << "the rest has all pairs";
}

TEST(Sections, OfARotationAreItsPairs) {
  const auto rotation = [](std::int64_t pairs) {
    Rotary rotary = test::half_rotary;
    rotary.sections = std::vector<std::int64_t>{pairs};
    return rotary;
  };
  EXPECT_EQ(said(RotaryRows::check(rotation(32), 64)), "nothing");
  for (const std::int64_t pairs : {0, 31, 33, 40}) {
    EXPECT_EQ(said(RotaryRows::check(rotation(pairs), 64)),
              "[convention] sections must have 32 pairs for width 64, got " + std::to_string(pairs));
  }
}

}  // namespace
}  // namespace posenc
