// SPDX-License-Identifier: Apache-2.0
// Positions that no angle tells: beyond the slowest wave, or of sines without their cosines.
#include <gtest/gtest.h>
#include <posenc/referee/identify.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <utility>

namespace posenc {
namespace {

bool names(const Identification& found, std::string_view preset, double first) {
  return std::ranges::any_of(found.candidates, [&](const Candidate& each) {
    return std::ranges::find(each.presets, preset) != each.presets.end() && each.places[0].first == first &&
           each.places[0].step == 1;
  });
}

// Cosines alone, a column a pair: of eight pairs that turn the slowest takes 129 positions to a turn.
TEST(WholePlaces, BeyondTheSlowestWave) {
  constexpr std::int64_t count = 38, pairs = 32;
  const Convention convention = with_field(preset("rope-proportional").convention, "stored", "halves_twice");
  const RotaryCache cache(convention, 2 * pairs);
  for (const std::int64_t first : {0, 130, 255, 5000}) {
    std::vector<float> cosines(static_cast<std::size_t>(count * 2 * pairs));
    const Positions positions[] = {Positions::range(first, count)};
    cache.write("cos", positions, view(cosines.data(), {count, 2 * pairs}));
    ConstView once = view(std::as_const(cosines).data(), {count, 2 * pairs});
    once.shape[1] = pairs;  // they stand twice
    EXPECT_TRUE(names(identify(once), "rope-proportional", static_cast<double>(first))) << first;
  }
}

// No sine of this row has a cosine of its frequency, and most turn by more than half a turn a position.
TEST(WholePlaces, OfWavesWithoutPairs) {
  for (const std::int64_t width : {8, 16}) {
    for (const std::int64_t first : {7, 255, 677, 4095}) {
      std::vector<bfloat16> rows(static_cast<std::size_t>(100 * width));
      sinusoid(preset("paddle-fluid-bug").convention, Positions::range(first, 100), view(rows.data(), {100, width}));
      const Identification found = identify(view(std::as_const(rows).data(), {100, width}));
      EXPECT_TRUE(names(found, "paddle-fluid-bug", static_cast<double>(first))) << width << " " << first;
    }
  }
}

TEST(WholePlaces, NoiseHasNone) {
  std::vector<float> rows(static_cast<std::size_t>(100 * 8));
  sinusoid(preset("paddle-fluid-bug").convention, Positions::range(255, 100), view(rows.data(), {100, 8}));
  for (std::size_t i = 0; i < rows.size(); i += 3) rows[i] = -rows[i];
  EXPECT_TRUE(identify(view(std::as_const(rows).data(), {100, 8})).candidates.empty());
}

}  // namespace
}  // namespace posenc
