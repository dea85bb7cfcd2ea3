// SPDX-License-Identifier: Apache-2.0
// Blocks of work: every index once, in the default floating-point environment, which the caller does not lose.
#include "src/engine/blocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace posenc::engine {
namespace {

TEST(Blocks, CoverEveryIndexOnce) {
  for (const std::int64_t count : {0, 1, 7, 63, 64, 65, 1000}) {
    for (const std::int64_t size : {1, 3, 64}) {
      std::vector<int> seen(static_cast<std::size_t>(count));
      for_blocks(serial, count, size, [&](std::int64_t begin, std::int64_t end) {
        EXPECT_LE(end - begin, size);
        for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), count);
    }
  }
}

TEST(Blocks, RunInRoundToNearestAndRestoreTheCallersMode) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    int inside = -1;
    for_blocks(serial, 1, 1, [&](std::int64_t, std::int64_t) { inside = std::fegetround(); });
    const int outside = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(inside, FE_TONEAREST);
    EXPECT_EQ(outside, mode);
  }
}

}  // namespace
}  // namespace posenc::engine
