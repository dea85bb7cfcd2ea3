// SPDX-License-Identifier: Apache-2.0
// What rotations keep: identity, inverse, gradient, distances; steps, lists, one row for many heads.
#include <gtest/gtest.h>

#include "tests/encodings/field.h"
#include "tests/encodings/rotations.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::adjacent_pairs;
using test::AngleTable;
using test::directions;
using test::half_pairs;
using test::plain;
using test::random_elements;
using test::same_bits;

TEST(Rotary, ByFunctionIsThatOfTheObject) {
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    const std::vector<float> in = random_elements<float>(3 * 5 * 20, 11);
    std::vector<float> a(in.size()), b(in.size());
    rotary(convention, Positions::range(9, 5),
           Rotated{view(in.data(), {3, 5, 20}), view(a.data(), {3, 5, 20}), TokenAxis::before_columns},
           Direction::inverse);
    RotaryRows(convention, 20)
        .rotate(Positions::range(9, 5),
                Rotated{view(in.data(), {3, 5, 20}), view(b.data(), {3, 5, 20}), TokenAxis::before_columns},
                Direction::inverse);
    EXPECT_TRUE(same_bits(a, b));
  }
}

TEST(Rotary, AtPositionZeroIsTheIdentity) {
  const std::vector<float> in = random_elements<float>(64, 12);
  std::vector<float> out(64);
  for (const Direction direction : directions) {
    rotary(half_pairs, Positions::at(0), view(in.data(), {1, 64}), view(out.data(), {1, 64}), direction);
    EXPECT_TRUE(same_bits(in, out));
  }
}

TEST(Rotary, InverseIsTheRotationByTheNegativePosition) {
  std::vector<float> a = random_elements<float>(50 * 16, 13), b = a;
  const View at = view(a.data(), {50, 16}), bt = view(b.data(), {50, 16});
  rotary(adjacent_pairs, Positions::range(3, 50), at, at, Direction::inverse);
  rotary(adjacent_pairs, Positions::range(-3, 50, -1), bt, bt, Direction::forward);
  EXPECT_TRUE(same_bits(a, b));
}

TEST(Rotary, InverseIsTheGradient) {  // <R x, y> = <x, R^-1 y>, and back again is where it was
  constexpr std::int64_t length = 40, width = 32;
  const std::vector<float> x = random_elements<float>(length * width, 14),
                           y = random_elements<float>(length * width, 15);
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    const RotaryRows rows(convention, width);
    std::vector<float> rx(x.size()), ry(y.size()), back(x.size());
    const auto of = [](auto& values) { return view(values.data(), {length, width}); };
    rows.rotate(Positions::range(100, length), of(x), of(rx));
    rows.rotate(Positions::range(100, length), of(y), of(ry), Direction::inverse);
    rows.rotate(Positions::range(100, length), of(rx), of(back), Direction::inverse);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      left += static_cast<double>(rx[i]) * static_cast<double>(y[i]);
      right += static_cast<double>(x[i]) * static_cast<double>(ry[i]);
      EXPECT_NEAR(back[i], x[i], 4e-6);  // 8 roundings of numbers below 2^3
    }
    EXPECT_NEAR(left, right, 1e-3);
  }
}

TEST(Rotary, ScoresDependOnTheDistanceAlone) {  // what rotations are for
  const std::vector<float> q = random_elements<float>(64, 16), k = random_elements<float>(64, 17);
  const auto score = [&](std::int64_t at_q, std::int64_t at_k) {
    std::vector<float> a = q, b = k;
    rotary(half_pairs, Positions::at(at_q), view(q.data(), {1, 64}), view(a.data(), {1, 64}));
    rotary(half_pairs, Positions::at(at_k), view(k.data(), {1, 64}), view(b.data(), {1, 64}));
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  EXPECT_NEAR(score(12, 5), score(1000000012, 1000000005), 1e-4);
  EXPECT_GT(std::abs(score(12, 5) - score(12, 6)), 1e-2);
}

TEST(Rotary, AStepOfDecodingHasTheBitsOfTheFullPass) {
  constexpr std::int64_t heads = 4, length = 90, width = 64;
  const std::vector<bfloat16> in = random_elements<bfloat16>(heads * length * width, 18);
  std::vector<bfloat16> full = in, steps = in;
  const RotaryRows rows(half_pairs, width);
  rows.rotate(Positions::range(0, length),
              Rotated{view(full.data(), {heads, length, width}), TokenAxis::before_columns});
  for (std::int64_t t = 0; t < length; ++t) {
    View step = view(steps.data(), {heads, length, width});
    step.data = steps.data() + t * width;
    step.shape[1] = 1;
    rows.rotate(Positions::at(t), Rotated{step, TokenAxis::before_columns});
  }
  EXPECT_TRUE(same_bits(full, steps));
}

TEST(Rotary, ListsOfAnyTypeAreTheirPositions) {
  constexpr std::int64_t length = 70, width = 12;
  const std::vector<float> in = random_elements<float>(length * width, 19);
  const RotaryRows rows(half_pairs, width);
  const auto rotated = [&](const Positions& positions) {
    std::vector<float> out(in.size());
    rows.rotate(positions, view(in.data(), {length, width}), view(out.data(), {length, width}));
    return out;
  };
  std::vector<std::int32_t> narrow;
  std::vector<double> wide, fractions;
  std::vector<std::int64_t> ends;  // whose differences are no int64
  for (int t = 0; t < length; ++t) {
    narrow.push_back(100 - 2 * t);
    wide.push_back(100 - 2 * t);
    fractions.push_back(100 - 2 * t + 0.25);
    ends.push_back(t % 2 == 0 ? INT64_MIN : INT64_MAX);
  }
  const std::vector<float> range = rotated(Positions::range(100, length, -2));
  EXPECT_TRUE(same_bits(rotated(Positions::list(view(std::as_const(narrow).data(), {length}))), range));
  EXPECT_TRUE(same_bits(rotated(Positions::list(view(std::as_const(wide).data(), {length}))), range));
  EXPECT_TRUE(same_bits(rotated(Positions::list(view(std::as_const(fractions).data(), {length}))),
                        rotated(Positions::range(100.25, length, -2))));
  const std::vector<float> far = rotated(Positions::list(view(std::as_const(ends).data(), {length})));
  for (std::int64_t t = 0; t < 2; ++t) {
    const std::vector<float> row(in.begin() + t * width, in.begin() + (t + 1) * width);
    const std::vector<float> got(far.begin() + t * width, far.begin() + (t + 1) * width);
    EXPECT_TRUE(
        same_bits(got, plain(row, AngleTable(half_pairs, width).at(ends[static_cast<std::size_t>(t)]), half_pairs)));
  }
}

TEST(Rotary, OneRowMayFeedManyHeads) {  // stride 0 of the input
  const std::vector<float> in = random_elements<float>(3 * 8, 20);
  std::vector<float> out(5 * 3 * 8), one(3 * 8);
  rotary(half_pairs, Positions::range(4, 3),
         Rotated{view(in.data(), {3, 8}).repeated(5), view(out.data(), {5, 3, 8}), TokenAxis::before_columns});
  rotary(half_pairs, Positions::range(4, 3), view(in.data(), {3, 8}), view(one.data(), {3, 8}));
  for (std::ptrdiff_t head = 0; head < 5; ++head) {
    EXPECT_TRUE(same_bits(std::vector<float>(out.begin() + head * 24, out.begin() + (head + 1) * 24), one));
  }
}

TEST(Rotary, SplitHalvesAreAdjacentPairsOfPermutedColumns) {  // how checkpoints are converted
  const std::vector<float> in = random_elements<float>(10, 21);
  std::vector<float> permuted(10), a(10), b(10);
  for (std::size_t k = 0; k < 5; ++k) {
    permuted[k] = in[2 * k];
    permuted[k + 5] = in[2 * k + 1];
  }
  rotary(adjacent_pairs, Positions::at(77), view(in.data(), {1, 10}), view(a.data(), {1, 10}));
  rotary(half_pairs, Positions::at(77), view(permuted.data(), {1, 10}), view(b.data(), {1, 10}));
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(a[2 * k], b[k]);
    EXPECT_EQ(a[2 * k + 1], b[k + 5]);
  }
}

TEST(Rotary, TakesListedFrequencies) {  // scaled ladders are lists
  const Convention listed = Rotary{Listed{{1, 0.25}}, Pairing::adjacent};
  std::vector<float> x = {1, 0, 1, 0};
  rotary(listed, Positions::at(3), view(std::as_const(x).data(), {1, 4}), view(x.data(), {1, 4}));
  EXPECT_EQ(x, (std::vector<float>{static_cast<float>(std::cos(3.0)), static_cast<float>(std::sin(3.0)),
                                   static_cast<float>(std::cos(0.75)), static_cast<float>(std::sin(0.75))}));
}

}  // namespace
}  // namespace posenc
