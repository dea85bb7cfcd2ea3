// SPDX-License-Identifier: Apache-2.0
// Rotations of scaled ladders and magnitudes under f32-reciprocal: the formula in plain f32, given the ladder.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/encodings/plain_rotary.h"
#include "tests/encodings/rotations.h"

namespace posenc {
namespace {

std::vector<double> step_ladder_of(const Rotary& rotary, std::int64_t rotated) {
  const Sinusoid row = {rotary.ladders.front(), Layout::cosine_first, OddWidth::refused};
  return SinusoidRows(row, rotated, recipe("f32-reciprocal")).frequencies();
}

// RN(RN(m) RN(cos RN(p w_k))) and its sine; a long double tells how a float is rounded but for 2^-40 of all cases.
reference::Pairing kept(const Rotary& rotary) {
  return rotary.pairing == Pairing::adjacent ? reference::Pairing::adjacent : reference::Pairing::split_half;
}
std::vector<float> plain_rotated(const Rotary& rotary, const std::vector<float>& head, float p, bool inverse) {
  const auto m = static_cast<float>(test::plain_magnitude(rotary));
  std::vector<float> cosine, sine;
  for (const double w : step_ladder_of(rotary, std::ssize(head))) {
    const float angle = p * static_cast<float>(w);
    cosine.push_back(m * static_cast<float>(std::cos(static_cast<long double>(angle))));
    sine.push_back(m * static_cast<float>(std::sin(static_cast<long double>(angle))));
    if (inverse) sine.back() = -sine.back();
  }
  return reference::rotated(head, cosine, sine, kept(rotary), reference::f32);
}

TEST(ScaledRotations, UnderARecipeAreItsRoundings) {
  for (const std::string name :
       {"rope-linear", "rope-ntk", "rope-yarn", "rope-llama3", "rope-proportional", "gpt-oss"}) {
    const Rotary& rotary = std::get<Rotary>(preset(name).convention);
    for (const std::int64_t r : {4, 6, 64, 130}) {
      const RotaryRows rows(rotary, r, recipe("f32-reciprocal"));
      const std::vector<float> head = test::random_elements<float>(static_cast<std::size_t>(r), 7);
      for (const std::int64_t p : {0, 1, 77, -4999, 1000003}) {
        for (const Direction direction : test::directions) {
          std::vector<float> out(head.size());
          rows.rotate(Positions::at(p), view(head.data(), {1, r}), view(out.data(), {1, r}), direction);
          EXPECT_EQ(out, plain_rotated(rotary, head, static_cast<float>(p), direction == Direction::inverse))
              << name << ", width " << r << ", position " << p;
        }
      }
    }
  }
}

TEST(ScaledRotations, OfPairsThatNoKernelTurnsAreThoseOfTheKernel) {
  Rotary kernel = std::get<Rotary>(preset("rope-yarn").convention);
  kernel.magnitude = 0.7;
  Rotary last = kernel;  // the same pairs two columns further
  last.part = std::int64_t{64}, last.where = HeadEnd::last;
  const std::vector<float> head = test::random_elements<float>(66, 11);
  for (const std::int64_t p : {0, 3, -512, 99991}) {
    std::vector<float> by_pairs(66), by_kernel(64);
    RotaryRows(last, 66, recipe("f32-reciprocal"))
        .rotate(Positions::at(p), view(head.data(), {1, 66}), view(by_pairs.data(), {1, 66}));
    RotaryRows(kernel, 64, recipe("f32-reciprocal"))
        .rotate(Positions::at(p), view(head.data() + 2, {1, 64}), view(by_kernel.data(), {1, 64}));
    EXPECT_EQ(std::vector(by_pairs.begin() + 2, by_pairs.end()), by_kernel);
    EXPECT_EQ(by_pairs[0], head[0]);
    EXPECT_EQ(by_pairs[1], head[1]);
  }
}

}  // namespace
}  // namespace posenc
