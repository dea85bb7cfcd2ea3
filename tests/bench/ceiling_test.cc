// SPDX-License-Identifier: Apache-2.0
// The bare loop that stands for what memory gives does the work that it is compared with.
#include "bench/ceiling.h"

#include <gtest/gtest.h>

#include "bench/affinity.h"

namespace posenc::bench {
namespace {

struct alignas(64) Line {
  float columns[16];
};

// Row r of the table holds r + c / 4096 in column c.
std::vector<Line> table(std::size_t rows, std::size_t width) {
  std::vector<Line> made(rows * width / 16);
  for (std::size_t i = 0; i < rows * width; ++i) {
    made[i / 16].columns[i % 16] = static_cast<float>(i / width) + static_cast<float>(i % width) / 4096;
  }
  return made;
}

void expect_gathered(std::size_t width, int threads) {
  const std::vector<std::int32_t> ids = {3, 0, 4, 4, 1, 2, 0, 3, 1, 4};
  const std::vector<Line> rows = table(5, width);
  std::vector<Line> out(ids.size() * width / 16);
  const Work work = {nullptr, std::as_writable_bytes(std::span(out)), std::as_bytes(std::span(rows)), ids};
  EXPECT_GE(ceiling_seconds(Ceiling::gather, work, threads, 1), 0);
  for (std::size_t i = 0; i < ids.size() * width; ++i) {
    const float element = static_cast<float>(ids[i / width]) + static_cast<float>(i % width) / 4096;
    ASSERT_EQ(out[i / 16].columns[i % 16], element * 1.5f + 0.25f) << "row " << i / width << " column " << i % width;
  }
}

TEST(Ceiling, GatherWritesTheRowThatEachIdNames) {
  for (const std::size_t width : {64u, 512u, 1024u}) expect_gathered(width, 1);
}

TEST(Ceiling, GatherGivesEachThreadIdsOfItsOwn) {
  if (allowed_cpus().size() < 2) GTEST_SKIP() << "one CPU";
  for (const std::size_t width : {512u, 1024u}) expect_gathered(width, 2);
}

}  // namespace
}  // namespace posenc::bench
