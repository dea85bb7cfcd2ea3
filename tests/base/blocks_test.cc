// SPDX-License-Identifier: Apache-2.0
// Blocks of work: every index once, in the default floating-point environment, which the caller does not lose.
#include "src/base/blocks.h"

#include <gtest/gtest.h>

#include <vector>

namespace posenc {
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

// An executor that was not stated, or was cleared, is the calling thread.
TEST(Blocks, OfNoExecutorAreOfTheCallingThread) {
  static_assert(Executor{}.run == serial.run && Executor{}.self == serial.self);
  for (const Executor& executor : {Executor{}, Executor{nullptr, nullptr}, serial}) {
    std::vector<int> seen(100);
    for_blocks(executor, 100, 7, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 100);
  }
}

// By what arithmetic does: std::fegetround() reads the state of a unit that nothing here computes in.
bool rounds_to_nearest() {
  const volatile float one = 1, tiny = 0x1p-30f;
  return one + tiny == 1 && one - tiny == 1 && -one - tiny == -1;
}
bool keeps_subnormals() {
  const volatile float smallest_normal = 0x1p-126f, half = 0.5f;
  return smallest_normal * half > 0;
}

TEST(Blocks, RunInRoundToNearestAndRestoreTheCallersMode) {
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    bool inside = false;
    for_blocks(serial, 1, 1, [&](std::int64_t, std::int64_t) { inside = rounds_to_nearest(); });
    const bool outside = rounds_to_nearest();
    const int kept = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(inside);
    EXPECT_FALSE(outside);
    EXPECT_EQ(kept, mode);
  }
}

#if defined(__SSE2__)
TEST(Blocks, KeepSubnormalsAndRestoreTheCallersFlush) {
  constexpr unsigned flush_to_zero = 0x8000, subnormals_are_zero = 0x0040;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | flush_to_zero | subnormals_are_zero);
  bool inside = false;
  for_blocks(serial, 1, 1, [&](std::int64_t, std::int64_t) { inside = keeps_subnormals(); });
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_TRUE(inside);
  EXPECT_EQ(after & (flush_to_zero | subnormals_are_zero), flush_to_zero | subnormals_are_zero);
}
#endif

}  // namespace
}  // namespace posenc
