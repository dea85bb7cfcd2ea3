// SPDX-License-Identifier: Apache-2.0
// Rotations of scaled ladders and magnitudes under f32-reciprocal: the formula in plain f32, given the ladder.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/encodings/plain_rotary.h"
#include "tests/encodings/rotations.h"
#include "tests/encodings/said.h"

namespace posenc {
namespace {

std::vector<double> step_ladder_of(const Rotary& rotary, std::int64_t rotated) {
  const Sinusoid row = {rotary.ladders.front(), Layout::cosine_first, OddWidth::refused};
  return Rows(row, rotated, {.recipe = recipe("f32-reciprocal")}).frequencies();
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
       {"rope-linear", "rope-ntk", "rope-yarn", "rope-llama3", "rope-proportional", "rope-clipped", "gpt-oss"}) {
    const Rotary& rotary = std::get<Rotary>(preset(name).convention);
    for (const std::int64_t r : {4, 6, 64, 130}) {
      const RotaryRows rows(rotary, r, {.recipe = recipe("f32-reciprocal")});
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
    RotaryRows(last, 66, {.recipe = recipe("f32-reciprocal")})
        .rotate(Positions::at(p), view(head.data(), {1, 66}), view(by_pairs.data(), {1, 66}));
    RotaryRows(kernel, 64, {.recipe = recipe("f32-reciprocal")})
        .rotate(Positions::at(p), view(head.data() + 2, {1, 64}), view(by_kernel.data(), {1, 64}));
    EXPECT_EQ(std::vector(by_pairs.begin() + 2, by_pairs.end()), by_kernel);
    EXPECT_EQ(by_pairs[0], head[0]);
    EXPECT_EQ(by_pairs[1], head[1]);
  }
}

// ---- decays -------------------------------------------------------------------------------------

// A long double tells how a float is rounded but for 2^-40 of all cases.
float plain_power(float z, float x) {
  return static_cast<float>(std::pow(static_cast<long double>(z), static_cast<long double>(x)));
}

// xPos from its description: factors of queries, or of keys by either rule.
std::vector<float> plain_decayed(const std::vector<float>& head, float p, float centre, RotatedSide side, DecayBy by) {
  const auto r = static_cast<double>(head.size());
  std::vector<float> cosine, sine;
  for (std::size_t k = 0; k < head.size() / 2; ++k) {
    const float e = static_cast<float>(2 * k) / static_cast<float>(head.size());
    const float angle = p * (1 / static_cast<float>(std::pow(10000.0L, static_cast<long double>(e))));
    const float z = (static_cast<float>(2 * k) + static_cast<float>(0.4 * r)) / static_cast<float>(1.4 * r);
    const float factor = plain_power(z, (p - centre) / 512);
    const auto decayed = [&](long double wave) {
      const auto c = static_cast<float>(wave);
      if (side == RotatedSide::query) return c * factor;
      return by == DecayBy::reciprocal ? c * (1 / factor) : c / factor;
    };
    cosine.push_back(decayed(std::cos(static_cast<long double>(angle))));
    sine.push_back(decayed(std::sin(static_cast<long double>(angle))));
  }
  return reference::rotated(head, cosine, sine, reference::Pairing::adjacent, reference::f32);
}

TEST(DecayedRotations, UnderARecipeMultiplyWavesByRoundedPowers) {
  const Rotary& rotary = std::get<Rotary>(preset("xpos-lucid").convention);
  const std::vector<float> head = test::random_elements<float>(16, 5);
  int differing = 0;
  for (const auto& [name, by] :
       {std::pair{"f32-reciprocal", DecayBy::reciprocal}, {"f32-reciprocal-decay-quotient", DecayBy::quotient}}) {
    for (const RotatedSide side : {RotatedSide::query, RotatedSide::key}) {
      std::vector<double> positions = {0, 1, 25, 50, 513, -77, 1000.5, 20000, -20000};
      for (double p = -3000; p < 3000; p += 60.25) positions.push_back(p);
      for (const double p : positions) {
        std::vector<float> out(head.size());
        const Rotated one[] = {{view(head.data(), {1, 16}), view(out.data(), {1, 16}), side}};
        RotaryRows(rotary, 16, {.recipe = recipe(name), .context = {.centre = 25}}).rotate(Positions::at(p), one);
        EXPECT_EQ(out, plain_decayed(head, static_cast<float>(p), 25, side, by)) << name << " " << p;
        differing += out != plain_decayed(head, static_cast<float>(p), 25, side,
                                          by == DecayBy::quotient ? DecayBy::reciprocal : DecayBy::quotient);
      }
    }
  }
  EXPECT_GE(differing, 4);
}

TEST(DecayedRotations, TurnBackByTheTransposedMap) {
  const Rotary& rotary = std::get<Rotary>(preset("xpos-lucid").convention);
  const RotaryRows rows(rotary, 4, {.recipe = recipe("f32-reciprocal"), .context = {.centre = 0}});
  const auto turned = [&](std::vector<float> x, Direction direction) {
    const Rotated one[] = {{view(x.data(), {1, 4}), RotatedSide::query}};
    rows.rotate(Positions::at(300), one, direction);
    return x;
  };
  const std::vector<float> of_first = turned({1, 0, 0, 0}, Direction::forward);
  const std::vector<float> back = turned({1, 0, 0, 0}, Direction::inverse);
  EXPECT_EQ(back[0], of_first[0]);
  EXPECT_EQ(back[1], -of_first[1]);
  EXPECT_NE(back[1], 0);
}

TEST(DecayedRotations, AreNoNumbersWhereFactorsAreBeyondF32) {
  Rotary rotary = std::get<Rotary>(preset("xpos-lucid").convention);
  rotary.decay = PairDecay{1e-300, 512};
  std::vector<float> x = {1, 1, 1, 1};
  const Rotated one[] = {{view(x.data(), {1, 4}), RotatedSide::query}};
  RotaryRows(rotary, 4, {.recipe = recipe("f32-reciprocal"), .context = {.centre = 0}}).rotate(Positions::at(3), one);
  EXPECT_TRUE(std::isnan(x[0]));  // z_0 is 0 in f32
  EXPECT_FALSE(std::isnan(x[2]));
}

TEST(DecayedRotations, HaveNoRecipeThatDoesNotSayHow) {
  EXPECT_EQ(test::said(RotaryRows::check(preset("xpos-lucid").convention, 8,
                                         {.recipe = recipe("f32-exp"), .context = {.centre = 0}})),
            "[rotary] the recipe must be exact for such pairs, or f32-reciprocal, f32-reciprocal-unit-position, "
            "f32-reciprocal-unit-angle or 2 more, got f32-exp");
  for (const Recipe& recipe : recipes()) {
    if (!recipe.steps || recipe.steps->decay == DecayBy::none) continue;
    EXPECT_EQ(
        test::said(RotaryRows::check(preset("xpos-lucid").convention, 8, {.recipe = recipe, .context = {.centre = 0}})),
        "nothing");
  }
}

// ---- sums ---------------------------------------------------------------------------------------

TEST(SummedRotations, UnderARecipeAddTheProductsOfTheirAxes) {
  const Rotary& rotary = std::get<Rotary>(preset("rope2d-mixed").convention);
  const double of_x[] = {0.5, -1.25, 0.8125, 2}, of_y[] = {0.75, 0.375, -1.5, 0.25};
  const std::vector<float> head = test::random_elements<float>(8, 9);
  for (const std::string name : {"f32-reciprocal", "f32-reciprocal-fused"}) {
    for (const auto& [x, y] : {std::pair{1.3, 3.9}, {0.1, -0.7}, {1e6, 77.7}, {0.0, 0.3}}) {
      std::vector<float> cosine, sine, out(8);
      for (std::size_t k = 0; k < 4; ++k) {
        const float left = static_cast<float>(x) * static_cast<float>(of_x[k]);
        const long double right = static_cast<long double>(static_cast<float>(y)) * static_cast<long double>(of_y[k]);
        const float angle = name == "f32-reciprocal" ? left + static_cast<float>(right)
                                                     : static_cast<float>(static_cast<long double>(left) + right);
        cosine.push_back(static_cast<float>(std::cos(static_cast<long double>(angle))));
        sine.push_back(static_cast<float>(std::sin(static_cast<long double>(angle))));
      }
      const std::vector<Positions> place = {Positions::at(x), Positions::at(y)};
      const Rotated one[] = {{view(head.data(), {1, 8}), view(out.data(), {1, 8}), RotatedSide::query}};
      RotaryRows(rotary, 8, {.recipe = recipe(name)}).rotate(place, one);
      EXPECT_EQ(out, reference::rotated(head, cosine, sine, reference::Pairing::adjacent, reference::f32))
          << name << " " << x;
    }
  }
}

}  // namespace
}  // namespace posenc
