// SPDX-License-Identifier: Apache-2.0
// Rotary encodings against plain loops: pairings, directions, layouts, types, sizes, many tensors.
#include <gtest/gtest.h>

#include "tests/encodings/element_types.h"
#include "tests/encodings/field.h"
#include "tests/encodings/rotations.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::adjacent_pairs;
using test::directions;
using test::Field;
using test::half_pairs;
using test::Memory;
using test::plain_rows;
using test::random_elements;
using test::same_bits;

// ---- the formula --------------------------------------------------------------------------------

template <class T>
struct RotaryOf : ::testing::Test {};
TYPED_TEST_SUITE(RotaryOf, test::RotatedTypes);

TYPED_TEST(RotaryOf, HeadsInEveryMemoryAreThePlainLoops) {
  constexpr std::int64_t batch = 2, heads = 3, length = 5, width = 14;
  const auto elements = random_elements<TypeParam>(batch * heads * length * width, 2);
  const auto position_of = [](std::int64_t row) { return 40 + row % length; };
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    for (const std::int64_t rotated : {width, std::int64_t{8}, std::int64_t{2}}) {
      const RotaryRows rows(convention, rotated);
      EXPECT_EQ(rows.width(), rotated);
      for (const Direction direction : directions) {
        const auto expected = plain_rows(elements, width, rotated, convention, direction, position_of);
        for (const Memory from : test::memories) {
          Field<TypeParam> same({batch, heads, length, width}, from);
          same.fill(elements);
          rows.rotate(Positions::range(40, length), Rotated{same.view(), TokenAxis::before_columns}, direction);
          EXPECT_TRUE(same_bits(same.values(), expected));
          EXPECT_TRUE(same.rest_is_untouched());
          for (const Memory to : test::memories) {
            Field<TypeParam> in({batch, heads, length, width}, from), out({batch, heads, length, width}, to);
            in.fill(elements);
            rows.rotate(Positions::range(40, length), Rotated{in.view(), out.view(), TokenAxis::before_columns},
                        direction);
            EXPECT_TRUE(same_bits(out.values(), expected));
            EXPECT_TRUE(same_bits(in.values(), elements));
            EXPECT_TRUE(out.rest_is_untouched());
          }
        }
      }
    }
  }
}

// Whether a kernel turns its pairs or not.
TEST(RotaryWidth, IsTheNumberOfColumnsThatTurn) {
  const auto turning = [](std::initializer_list<FieldChange> changes, std::int64_t head) {
    return RotaryRows(with_fields(half_pairs, changes), head).width();
  };
  EXPECT_EQ(turning({}, 64), 64);
  EXPECT_EQ(turning({{"magnitude", 2}}, 64), 64) << "no kernel";
  EXPECT_EQ(turning({{"part", 16}}, 64), 16);
  EXPECT_EQ(turning({{"part", 16}, {"magnitude", 2}}, 64), 16);
  EXPECT_EQ(turning({{"part", 16}, {"where", "last"}}, 64), 16);
  EXPECT_EQ(turning({{"part", "share"}, {"part.share", 0.25}, {"where", "last"}}, 64), 16);
  const RotaryRows last(with_fields(half_pairs, {{"part", 16}, {"where", "last"}}), 64);
  std::vector<float> head(63);
  const View narrow = view(head.data(), {1, 63});
  ASSERT_TRUE(last.check_rotate(Positions::at(1), narrow, narrow));
  EXPECT_EQ(last.check_rotate(Positions::at(1), narrow, narrow)->message(),
            "[rotary] out must have 64 columns or more, got [1, 63]");
  EXPECT_EQ(last.check_rotate(Positions::at(1), Rotated{narrow}), last.check_rotate(Positions::at(1), narrow, narrow));
}

TYPED_TEST(RotaryOf, SequenceBeforeHeadsIsATransposedView) {
  constexpr std::int64_t batch = 2, length = 70, heads = 5, width = 24;
  const auto elements = random_elements<TypeParam>(batch * length * heads * width, 3);
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    std::vector<TypeParam> x = elements;
    const View out = view(x.data(), {batch, length, heads, width}).transposed(1, 2);
    RotaryRows(convention, width).rotate(Positions::range(-3, length), Rotated{out, TokenAxis::before_columns});
    EXPECT_TRUE(same_bits(x, plain_rows(elements, width, width, convention, Direction::forward,
                                        [](std::int64_t row) { return row / heads % length - 3; })));
  }
}

TYPED_TEST(RotaryOf, EverySequenceOfABatchHasItsOwnPositions) {
  constexpr std::int64_t batch = 3, heads = 2, length = 40, width = 10;
  const auto elements = random_elements<TypeParam>(batch * heads * length * width, 4);
  std::vector<std::int64_t> positions;
  for (std::int64_t t = 0; t < length; ++t) positions.push_back(t + 7);       // spaced
  for (std::int64_t t = 0; t < length; ++t) positions.push_back(-t * 1000);   // spaced, backwards
  for (std::int64_t t = 0; t < length; ++t) positions.push_back(t * t % 37);  // in no order
  const Positions lists = Positions::list(view(std::as_const(positions).data(), {batch, length}));
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    const auto expected = plain_rows(elements, width, width, convention, Direction::forward, [&](std::int64_t row) {
      return positions[static_cast<std::size_t>(row / (heads * length) * length + row % length)];
    });
    const RotaryRows rows(convention, width);
    for (const Memory memory : test::memories) {
      Field<TypeParam> x({batch, heads, length, width}, memory);
      x.fill(elements);
      rows.rotate(lists, Rotated{x.view(), TokenAxis::before_columns});
      EXPECT_TRUE(same_bits(x.values(), expected));
      EXPECT_TRUE(x.rest_is_untouched());
    }
  }
}

// More than one block of each, none of them whole, and blocks of the least, some and the most rows.
TYPED_TEST(RotaryOf, ManyLinesAndRowsAreThePlainLoops) {
  constexpr std::int64_t width = 6, shapes[][2] = {{131, 149}, {2, 9001}, {1, 20011}};
  for (const auto& [heads, length] : shapes) {
    const auto elements = random_elements<TypeParam>(static_cast<std::size_t>(heads * length * width), 5);
    for (const Convention& convention : {half_pairs, adjacent_pairs}) {
      const auto expected = plain_rows(elements, width, 4, convention, Direction::forward,
                                       [&](std::int64_t row) { return row % length; });
      const RotaryRows rows(convention, 4);
      for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
        std::vector<TypeParam> x = elements;
        const View out = view(x.data(), {heads, length, width});
        rows.rotate(Positions::range(0, length), Rotated{out, TokenAxis::before_columns}, Direction::forward, executor);
        EXPECT_TRUE(same_bits(x, expected)) << length;
      }
    }
  }
}

TYPED_TEST(RotaryOf, OddPrimeAndLargeWidthsAreThePlainLoops) {
  for (const Convention& convention : {half_pairs, adjacent_pairs}) {
    for (const std::int64_t rotated : {2, 6, 14, 22, 26, 34, 62, 66, 74, 80, 96, 112, 128, 250, 258, 5002}) {
      const std::int64_t width = rotated + rotated % 3;
      const auto elements = random_elements<TypeParam>(static_cast<std::size_t>(5 * 2 * width), 6);
      const auto expected = plain_rows(elements, width, rotated, convention, Direction::forward,
                                       [](std::int64_t row) { return row % 2 == 0 ? 1000 : 1001; });
      for (const bool in_place : {true, false}) {
        std::vector<TypeParam> x = elements;
        const View out = view(x.data(), {5, 2, width});
        RotaryRows(convention, rotated)
            .rotate(Positions::range(1000, 2), Rotated{in_place ? ConstView(out) : view(elements.data(), {5, 2, width}),
                                                       out, TokenAxis::before_columns});
        EXPECT_TRUE(same_bits(x, expected)) << rotated;
      }
    }
  }
}

TYPED_TEST(RotaryOf, NoBitDependsOnTheCallersEnvironment) {
  constexpr std::int64_t length = 70, width = 32;
  const auto elements = random_elements<TypeParam>(length * width, 7);
  const RotaryRows rows(half_pairs, width);
  std::vector<TypeParam> expected = elements;
  rows.rotate(Positions::range(1, length), Rotated{view(expected.data(), {length, width}), TokenAxis::before_columns});
  for (const int rounding : test::rounding_modes) {
    std::vector<TypeParam> x = elements;
    const View out = view(x.data(), {length, width});
    EXPECT_TRUE(test::survives(
        rounding, [&] { rows.rotate(Positions::range(1, length), Rotated{out, TokenAxis::before_columns}); }));
    EXPECT_TRUE(same_bits(x, expected));
  }
}

TYPED_TEST(RotaryOf, NothingIsNothing) {
  const RotaryRows rows(half_pairs, 8);
  std::vector<TypeParam> x(8, TypeParam(3.0f));
  for (const View& out : {view(x.data(), {0, 8}), view(x.data(), {0, 3, 0, 8}), view(x.data(), {3, 0, 0, 8})}) {
    rows.rotate(Positions::range(0, 0), Rotated{out, TokenAxis::before_columns});
  }
  const View no_heads = view(x.data(), {0, std::int64_t{1} << 40, 8});
  rows.rotate(Positions::range(0, std::int64_t{1} << 40), Rotated{no_heads, TokenAxis::before_columns});
  const View no_rows = view(x.data(), {std::int64_t{1} << 40, std::int64_t{1} << 40, 0, 8});
  rows.rotate(Positions::range(0, 0), Rotated{no_rows, TokenAxis::before_columns});
  rows.rotate(Positions::range(0, 5), std::span<const Rotated>());
  EXPECT_EQ(x, std::vector<TypeParam>(8, TypeParam(3.0f)));
}

// ---- many tensors -------------------------------------------------------------------------------

TEST(Rotary, OfSeveralTensorsIsThatOfEach) {
  constexpr std::int64_t length = 70, width = 16;
  const RotaryRows rows(adjacent_pairs, width);
  const Positions positions = Positions::range(5, length);
  std::vector<float> q = random_elements<float>(130 * length * width, 8);
  const std::vector<half> k = random_elements<half>(2 * length * (width + 3), 9);
  std::vector<half> turned_k(k.size());
  std::vector<bfloat16> flat = random_elements<bfloat16>(length * width, 10);
  std::vector<float> q_alone = q;
  std::vector<half> k_alone(k.size());
  std::vector<bfloat16> flat_alone = flat;
  const View q_out = view(q_alone.data(), {130, length, width}), flat_out = view(flat_alone.data(), {length, width});
  rows.rotate(positions, Rotated{q_out, TokenAxis::before_columns});
  rows.rotate(positions, Rotated{view(k.data(), {1, 2, length, width + 3}),
                                 view(k_alone.data(), {1, 2, length, width + 3}), TokenAxis::before_columns});
  rows.rotate(positions, Rotated{flat_out, TokenAxis::before_columns});

  const Rotated tensors[] = {{view(q.data(), {130, length, width}), TokenAxis::before_columns},
                             {view(k.data(), {1, 2, length, width + 3}),
                              view(turned_k.data(), {1, 2, length, width + 3}), TokenAxis::before_columns},
                             view(flat.data(), {length, width})};
  rows.rotate(positions, tensors, Direction::forward, test::reversed);
  EXPECT_TRUE(same_bits(q, q_alone));
  EXPECT_TRUE(same_bits(turned_k, k_alone));
  EXPECT_TRUE(same_bits(flat, flat_alone));
}

}  // namespace
}  // namespace posenc
