// SPDX-License-Identifier: Apache-2.0
// Masks in lanes against Random123, block by block, on every instruction set.
#include "src/engine/random/mask.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "src/base/elements.h"
#include "tests/engine/drawn.h"
#include "tests/engine/every_target.h"

namespace posenc::engine {
namespace {

std::vector<RowMask> many_masks() {
  std::vector<RowMask> all = {{{0, 0}, 0, 0, 0, 1, 65536 / 65535.0}, {{~0u, ~0u}, ~0u, ~0u, ~0u, 65535, 65536.0}};
  std::mt19937 random(7);
  const auto word = [&] { return static_cast<std::uint32_t>(random()); };
  for (const std::uint32_t dropped : {6554u, 32768u, 40000u}) {
    all.push_back({{word(), word()}, word(), word(), word(), dropped, 65536 / (65536.0 - dropped)});
  }
  return all;
}

template <class T>
void expect_products(const RowMask& mask, std::size_t width) {
  using C = Computing<T>;
  const std::size_t offset = width % 7, size = width + 2 * offset;
  std::mt19937 random(static_cast<std::uint32_t>(width));
  std::vector<T> from(size), to(size, T(7.0f));
  for (T& x : from) x = T(static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-20f);
  if (width > 3) {
    from[offset] = T(-0.0f);
    from[offset + 1] = T(-std::numeric_limits<float>::infinity());
    from[offset + 2] = T(0x1p-24f);
  }
  multiply_by_mask(mask, from.data() + offset, width, to.data() + offset);
  for (std::size_t i = 0; i < size; ++i) {
    if (i < offset || i >= width + offset) {
      ASSERT_EQ(static_cast<C>(to[i]), 7) << "nothing else is written";
      continue;
    }
    const C factor = drawn(mask, i - offset) < mask.dropped ? C(0) : static_cast<C>(mask.keep);
    const T expected(static_cast<C>(from[i]) * factor);
    if (std::isnan(static_cast<C>(expected))) {
      ASSERT_TRUE(std::isnan(static_cast<C>(to[i])));
    } else {
      ASSERT_EQ(std::memcmp(&to[i], &expected, sizeof(T)), 0) << "column " << i - offset << " of " << width;
    }
  }
}

template <class T>
void expect_products_of_many() {
  for (const RowMask& mask : many_masks()) {
    for (std::size_t width = 0; width <= 140; ++width) expect_products<T>(mask, width);
    for (const std::size_t width : {511, 512, 513, 1024, 1031, 4096}) expect_products<T>(mask, width);
  }
}

TEST(Mask, OfF32IsRandom123sOnEveryTarget) { on_every_target(expect_products_of_many<float>); }
TEST(Mask, OfF64IsRandom123sOnEveryTarget) { on_every_target(expect_products_of_many<double>); }
TEST(Mask, OfF16IsRandom123sOnEveryTarget) { on_every_target(expect_products_of_many<half>); }
TEST(Mask, OfBf16IsRandom123sOnEveryTarget) { on_every_target(expect_products_of_many<bfloat16>); }

// A draw equal to k comes once in 65536 columns: eight times here.
TEST(Mask, KeepsAColumnWhoseBitsAreThoseOfTheBoundOnEveryTarget) {
  constexpr std::size_t width = std::size_t{1} << 19;
  const RowMask mask{{31, 0}, 5, 6, 7, 6554, 2};
  const std::vector<float> from(width, 1.0f);
  std::vector<float> to(width);
  on_every_target([&] {
    multiply_by_mask(mask, from.data(), width, to.data());
    std::size_t different = 0, equal = 0;
    for (std::size_t c = 0; c < width; ++c) {
      different += (to[c] == 0) != (drawn(mask, c) < mask.dropped) ? 1 : 0;
      equal += drawn(mask, c) == mask.dropped ? 1 : 0;
    }
    EXPECT_EQ(different, 0u);
    EXPECT_GT(equal, 0u);
  });
}

}  // namespace
}  // namespace posenc::engine
