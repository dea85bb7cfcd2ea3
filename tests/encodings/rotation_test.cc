// SPDX-License-Identifier: Apache-2.0
// Rotations of random plans against plain loops: coefficients one by one (turns_test.cc), every rounding written out.
#include "src/encodings/rotation.h"

#include "src/encodings/coordinates.h"
#include "tests/encodings/field.h"
#include "tests/encodings/rotations.h"
#include "tests/encodings/surroundings.h"
#include "tests/engine/placements.h"

namespace posenc {
namespace {

using test::directions;

constexpr std::int64_t turned_length = 70, turned_sequences = 2;

// Two axes, of each a few frequencies; angles of one of them, of none, or sums.
plan::PairPlan random_plan(std::mt19937& random, bool sums) {
  plan::PairPlan plan;
  plan.axes.resize(2);
  std::vector<numerics::Real> fast, slow;
  for (std::uint32_t k = 0; k < 6; ++k) fast.emplace_back(1.0 / (1 + k)), slow.emplace_back(0.01 * (1 + k));
  plan.ladders = {{fast}, {slow}};
  const auto [pairs, width] = engine::test::random_stretches(random, 20);
  plan.pairs = pairs;
  plan.width = width;
  const bool two_angles = random() % 2 == 0;
  const auto angle = [&]() -> plan::Angle {
    const std::uint16_t axes[] = {0, 1, plan::no_axis, plan::every_axis};
    return {axes[random() % (sums ? 4 : 3)], static_cast<std::uint32_t>(random() % 6)};
  };
  for (plan::Pair& pair : plan.pairs) {
    const plan::Angle one = angle();
    pair.angles = {one, two_angles ? angle() : one};
  }
  if (random() % 2 == 0) plan.turning = plan::Turning::backward;
  return plan;
}

// A row turned by the coefficients of its place.
template <class T>
std::vector<T> plain_row(const plan::PairPlan& plan, const std::vector<Turn>& turns, Direction direction,
                         const std::vector<T>& row) {
  const bool back = direction == Direction::inverse;
  std::vector<reference::Turned> turned;
  for (std::size_t k = 0; k < plan.pairs.size(); ++k) {
    const auto& [c0, s0, s1, c1] = turns[k];
    const auto& [read, written, angles] = plan.pairs[k];
    const auto& from = back ? written : read;
    const auto& to = back ? read : written;
    turned.push_back({{from[0], from[1]}, {to[0], to[1]}, c0, back ? -s1 : s0, back ? -s0 : s1, c1});
  }
  std::vector<T> out;
  for (const float x : reference::turned({row.begin(), row.end()}, turned, test::storage_of<T>())) out.push_back(T(x));
  return out;
}

struct Tensor {
  std::int64_t heads, rest;  // columns behind those of the plan
  RotatedSide side;
  bool in_place, strided;
};

// [turned_sequences, heads, turned_length, width], or its columns the other way round.
template <class T>
void expect_turned(const plan::PairPlan& plan, const Rotation& rotation, const Tensor& of, Direction direction,
                   const Executor& executor) {
  const std::int64_t width = plan.width + of.rest;
  const auto size = static_cast<std::size_t>(turned_sequences * of.heads * turned_length * width);
  std::vector<T> in = test::random_elements<T>(size, 5), out(size, T(9.0f));
  const std::vector<T> before = in;
  const std::vector<std::int64_t> shape = {turned_sequences, of.heads, turned_length, width};
  const auto seen = [&](std::vector<T>& values) {
    View made = view(values.data(), {turned_sequences, of.heads, turned_length, width});
    if (of.strided)
      made = view(values.data(), {turned_sequences, width, of.heads, turned_length}).transposed(1, 2).transposed(2, 3);
    return made;
  };
  const View from = seen(in), to = of.in_place ? from : seen(out);
  std::vector<double> list(static_cast<std::size_t>(turned_sequences * turned_length));
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<double>(i * i % 97) / 4 - 10;
  const Positions places[] = {Positions::range(-20, turned_length),
                              Positions::list(view(list.data(), {turned_sequences, turned_length}))};
  const Rotated one[] = {{from, to, of.side}};
  ASSERT_TRUE(rotation.rotate(places, one, direction, executor));

  const Turns by(plan);
  std::vector<Turn> turns(plan.pairs.size());
  for (std::int64_t b = 0; b < turned_sequences; ++b) {
    for (std::int64_t t = 0; t < turned_length; ++t) {
      ASSERT_TRUE(by.at(PlaceReader(places, b).at(t), of.side, turns));
      for (std::int64_t h = 0; h < of.heads; ++h) {
        const auto offset = b * to.stride(0) + h * to.stride(1) + t * to.stride(2);
        std::vector<T> row, found;
        for (std::int64_t c = 0; c < width; ++c) {
          const auto at = static_cast<std::size_t>(offset + c * to.stride(3));
          row.push_back(before[at]);
          found.push_back((of.in_place ? in : out)[at]);
        }
        ASSERT_TRUE(test::same_bits(found, plain_row(plan, turns, direction, row))) << b << " " << h << " " << t;
      }
    }
  }
}

template <class T>
void expect_random_plans_turned(unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < 16; ++i) {
    SCOPED_TRACE(i);
    plan::PairPlan plan = random_plan(random, i % 4 == 1);
    if (i % 4 == 2) {
      plan.magnitude = 0.75;
      plan.decay = plan::Decay{std::vector<numerics::Rational>(plan.pairs.size(), 0.5), 3, 64};
    }
    const Rotation rotation(plan, exact(), {});
    const Tensor of = {1 + i % 6, i % 3, i % 8 < 4 ? RotatedSide::query : RotatedSide::key, i % 2 == 0, i % 5 == 4};
    expect_turned<T>(plan, rotation, of, directions[random() % 2], i % 2 == 0 ? serial : test::two_threads);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Rotation, OfAnyPlanIsThePlainLoopInF32) { expect_random_plans_turned<float>(31); }
TEST(Rotation, OfAnyPlanIsThePlainLoopInF16) { expect_random_plans_turned<half>(32); }
TEST(Rotation, OfAnyPlanIsThePlainLoopInBf16) { expect_random_plans_turned<bfloat16>(33); }

// Queries and keys of one call, in any order, each by its own decay.
TEST(Rotation, UnderADecayTurnsEachTensorByItsSide) {
  std::mt19937 random(34);
  plan::PairPlan plan = random_plan(random, false);
  plan.decay = plan::Decay{std::vector<numerics::Rational>(plan.pairs.size(), 0.5), 3, 64};
  const Rotation rotation(plan, exact(), {});
  const Positions places[] = {Positions::range(0, 5), Positions::range(9, 5)};
  const auto size = static_cast<std::size_t>(5 * plan.width);
  std::vector<std::vector<float>> together(3, test::random_elements<float>(size, 6)), alone = together;
  const RotatedSide sides[] = {RotatedSide::key, RotatedSide::query, RotatedSide::key};
  std::vector<Rotated> all;
  for (std::size_t i = 0; i < 3; ++i) all.emplace_back(view(together[i].data(), {5, plan.width}), sides[i]);
  ASSERT_TRUE(rotation.rotate(places, all, Direction::forward, serial));
  for (std::size_t i = 0; i < 3; ++i) {
    const Rotated one[] = {{view(alone[i].data(), {5, plan.width}), sides[i]}};
    ASSERT_TRUE(rotation.rotate(places, one, Direction::forward, serial));
  }
  EXPECT_EQ(together, alone);
  EXPECT_NE(together[0], together[1]);
}

// Positions, frequencies and products that f32 holds: only the sines, and their products with 0.3, are rounded.
TEST(Rotation, UnderARecipeIsByItsWavesTimesTheMagnitudeInF32) {
  plan::PairPlan plan;
  plan.axes.resize(2);
  plan.ladders = {{std::vector<numerics::Real>{1, 0.5}}, {std::vector<numerics::Real>{0.25, 3, 0.125}}};
  plan.pairs = {{{0, 1}, {0, 1}, {{{0, 1}, {1, 2}}}},
                {{2, 3}, {2, 3}, {{{0, 1}, {1, 0}}}},
                {{4, 5}, {4, 5}, {{{plan::no_axis, 0}, {0, 0}}}}};
  plan.width = 6;
  const Recipe& steps = recipe("f32-reciprocal");
  std::vector<StepLadder> ladders = {{{1, 0.5}}, {{0.25, 3, 0.125}}};
  for (StepLadder& ladder : ladders) ladder.output = {StepScale::By::times, 0.3f};
  const Rotation rotation(plan, steps, ladders);
  for (const auto& [a, b] : {std::pair{0.0, 0.0}, {3.0, -4.0}, {4095.0, 1e6}}) {
    const Positions places[] = {Positions::at(a), Positions::at(b)};
    const std::optional<numerics::Dyadic> place[] = {numerics::dyadic(a), numerics::dyadic(b)};
    std::vector<Turn> turns(3);
    ASSERT_TRUE(Turns(plan).at(place, RotatedSide::query, turns));
    std::vector<float> u = {1, 0, 1, 0, 1, 0}, v = {0, 1, 0, 1, 0, 1};  // become the coefficients
    const Rotated both[] = {view(u.data(), {1, 6}), view(v.data(), {1, 6})};
    ASSERT_TRUE(rotation.rotate(places, both, Direction::forward, serial));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(u[2 * k], 0.3f * turns[k].c0);
      EXPECT_EQ(v[2 * k], -(0.3f * turns[k].s0));
      EXPECT_EQ(u[2 * k + 1], 0.3f * turns[k].s1);
      EXPECT_EQ(v[2 * k + 1], 0.3f * turns[k].c1);
    }
  }
}

}  // namespace
}  // namespace posenc
