// SPDX-License-Identifier: Apache-2.0
// Lists of CPUs as the system writes them.
#include "bench/affinity.h"

#include <gtest/gtest.h>

namespace posenc::bench {
namespace {

TEST(Affinity, AListNamesCpusAndRanges) {
  for (const int cpu : {0, 2, 3, 4, 16}) EXPECT_TRUE(is_listed("0,2-4,16", cpu)) << cpu;
  for (const int cpu : {1, 5, 15, 17}) EXPECT_FALSE(is_listed("0,2-4,16", cpu)) << cpu;
  EXPECT_FALSE(is_listed("", 0));
}

TEST(Affinity, ACpuIsASiblingOfItself) {
  const int cpu = allowed_cpus().front();
  EXPECT_TRUE(siblings(cpu, cpu).value_or(true));
  EXPECT_EQ(siblings(1 << 20, 0), std::nullopt);
}

}  // namespace
}  // namespace posenc::bench
