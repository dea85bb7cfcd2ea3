// SPDX-License-Identifier: Apache-2.0
// Ziv's loop by itself: it doubles, stops where both ends round alike, and has a last number of bits.
#include "src/numerics/ziv.h"

#include <gtest/gtest.h>

#include <vector>

namespace posenc::numerics {
namespace {

// 1 + 2^-24, half-way between two floats, and a little more; known to `bits` bits.
Enclosure beside_a_tie(std::int64_t more, std::int64_t bits) {
  const Bignum tie = (Bignum(1) << bits) + (Bignum(1) << (bits - 24));
  const Bignum beyond = more > bits ? Bignum() : Bignum(1) << (bits - more);
  return {false, tie + beyond, -bits, 1};
}

TEST(Ziv, BitsAreDoubledUntilBothEndsRoundAlike) {
  std::vector<std::int64_t> asked;
  const auto enclose = [&](std::int64_t bits) {
    asked.push_back(bits);
    return beside_a_tie(1000, bits);
  };
  EXPECT_EQ(settle_certainly<float>(enclose), 1 + 0x1p-23f);
  EXPECT_EQ(asked, (std::vector<std::int64_t>{256, 512, 1024}));
  asked.clear();
  EXPECT_EQ(settle_certainly<double>(enclose), 1 + 0x1p-24);
  EXPECT_EQ(asked.size(), 1u);
}

TEST(Ziv, ABoundaryIsUndecidedAfterTheLastNumberOfBits) {
  std::vector<std::int64_t> asked;
  const auto enclose = [&](std::int64_t bits) {
    asked.push_back(bits);
    return beside_a_tie(most_bits + 1, bits);
  };
  EXPECT_EQ(settle_certainly<float>(enclose), std::nullopt);
  EXPECT_EQ(asked.size(), 8u);
  EXPECT_EQ(asked.back(), most_bits);
}

}  // namespace
}  // namespace posenc::numerics
