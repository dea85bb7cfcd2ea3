// SPDX-License-Identifier: Apache-2.0
// Memory for rows: where it begins, and that all of it is there.
#include "src/base/scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace posenc {
namespace {

constexpr std::size_t counts[] = {0, 1, 3, 17, 64, 1000, 1001, 135168, 300001};

bool begins_a_line(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % line_bytes == 0; }

template <class T>
void expect_lines() {
  std::vector<Scratch<T>> held;  // so that each is another piece of memory
  for (const std::size_t count : counts) {
    for (int i = 0; i < 8; ++i) {
      const Scratch<T>& scratch = held.emplace_back(count);
      EXPECT_TRUE(begins_a_line(scratch.data())) << count;
      std::fill_n(scratch.data(), count, T(9.0f));
    }
  }
  for (std::size_t i = 0; i < held.size(); ++i) {
    const std::size_t count = counts[i / 8];
    EXPECT_EQ(std::count(held[i].data(), held[i].data() + count, T(9.0f)), static_cast<std::ptrdiff_t>(count));
  }
}

TEST(Scratch, BeginsWithALineAndIsItsOwn) {
  expect_lines<std::uint8_t>();
  expect_lines<float>();
  expect_lines<double>();
}

TEST(Scratch, OfNobodyIsNothing) { EXPECT_EQ(Scratch<float>().data(), nullptr); }

TEST(Scratch, OfOneUseBeginsWithALineOnTheStackAndElsewhere) {
  for (const std::size_t count : counts) {
    LocalScratch<float> scratch;
    float* const data = scratch.take(count);
    EXPECT_TRUE(begins_a_line(data)) << count;
    std::fill_n(data, count, 9.0f);
    const auto* const place = reinterpret_cast<const std::byte*>(data);
    const auto* const own = reinterpret_cast<const std::byte*>(&scratch);
    EXPECT_EQ(place >= own && place < own + sizeof scratch, count * sizeof(float) <= 4096) << count;
  }
}

}  // namespace
}  // namespace posenc
