// SPDX-License-Identifier: Apache-2.0
// Cached keys moved: within the stated bound of one rotation, whatever they are moved between.
#include <gtest/gtest.h>
#include <posenc/rerotate.h>

#include <cmath>

#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"

namespace posenc {
namespace {

using test::said;

template <class T>
inline constexpr double storage_unit = std::is_same_v<T, float>  ? 0
                                       : std::is_same_v<T, half> ? 0x1p-11
                                                                 : 0x1p-8;

template <class T>
std::vector<T> some_keys(std::size_t count) {
  std::vector<T> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(T(static_cast<float>((i * 37) % 101) / 16 - 3));
  return all;
}

template <class T>
std::vector<T> keys_at(const Convention& convention, std::vector<T> x, std::int64_t width, const Standing& at) {
  const Rotated one[] = {{view(x.data(), {std::ssize(x) / width, width}), RotatedSide::key}};
  RotaryRows(convention, width, {.context = at.context}).rotate(at.coordinates, one);
  return x;
}

// |moved - rotated once| <= 9 u r + 3 v r, r the norm of the pair
template <class T>
void expect_within_its_bound(const Rotary& rotary, std::int64_t width, const Standing& from, const Standing& to) {
  const std::int64_t rows = from.coordinates[0].count_, n = width / 2;
  const std::vector<T> raw = some_keys<T>(static_cast<std::size_t>(rows * width));
  std::vector<T> moved = keys_at(rotary, raw, width, from);
  const std::vector<T> once = keys_at(rotary, raw, width, to);
  const View both = view(moved.data(), {rows, width});
  rerotate(rotary, from, to, both, both);
  const bool halves = rotary.pairing == Pairing::split_half || rotary.written == Written::split_half;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t k = 0; k < n; ++k) {
      const auto a = static_cast<std::size_t>(row * width + (halves ? k : 2 * k));
      const std::size_t b = a + static_cast<std::size_t>(halves ? n : 1);
      const double r = std::hypot(static_cast<float>(once[a]), static_cast<float>(once[b]));
      const double bound = (9 * 0x1p-24 + 3 * storage_unit<T>)*r;
      for (const std::size_t c : {a, b}) {
        ASSERT_NEAR(static_cast<float>(moved[c]), static_cast<float>(once[c]), bound) << row << " " << k;
      }
    }
  }
}

template <class T>
class RerotateOfEveryType : public testing::Test {};
using KeyTypes = testing::Types<float, half, bfloat16>;
TYPED_TEST_SUITE(RerotateOfEveryType, KeyTypes);

// Context shift: the first tokens are dropped, the others move up.
TYPED_TEST(RerotateOfEveryType, MovesKeysToOtherPositions) {
  Rotary written = test::adjacent_rotary;
  written.written = Written::split_half, written.magnitude = 0.75, written.turn = TurnTo::backward;
  for (const Rotary& rotary : {test::half_rotary, test::adjacent_rotary, written}) {
    for (const std::int64_t shift : {0, 1, 1000, 100000}) {
      const Positions from[] = {Positions::range(shift, 33)}, to[] = {Positions::range(0, 33)};
      expect_within_its_bound<TypeParam>(rotary, 64, {from}, {to});
      expect_within_its_bound<TypeParam>(rotary, 64, {to}, {from});
    }
  }
}

TYPED_TEST(RerotateOfEveryType, MovesKeysToAnotherRegime) {
  Rotary dynamic = test::half_rotary, lists = test::half_rotary;
  std::get<Geometric>(dynamic.ladders[0]).scaling = DynamicNtkScaling{4, 2048};
  std::get<Geometric>(lists.ladders[0]).scaling = LongRopeScaling{{1, 1.5, 2, 3}, {1, 4, 16, 64}, 4096};
  const Positions from[] = {Positions::range(0, 40)}, to[] = {Positions::range(7, 40)};
  for (const Rotary& rotary : {dynamic, lists}) {
    expect_within_its_bound<TypeParam>(rotary, 8, {from, {.length = 100}}, {from, {.length = 9000}});
    expect_within_its_bound<TypeParam>(rotary, 8, {from, {.length = 9000}}, {to, {.length = 100}});
  }
}

TYPED_TEST(RerotateOfEveryType, MovesKeysOfXPosToAnotherCentre) {
  Rotary rotary = test::adjacent_rotary;
  rotary.decay = PairDecay{0.4, 512};
  const Positions from[] = {Positions::range(0, 20)}, to[] = {Positions::range(5, 20)};
  expect_within_its_bound<TypeParam>(rotary, 16, {from, {.centre = 10}}, {from, {.centre = 500}});
  expect_within_its_bound<TypeParam>(rotary, 16, {from, {.centre = 10}}, {to, {.centre = -3.5}});
}

TYPED_TEST(RerotateOfEveryType, MovesKeysOfSeveralAxes) {
  Rotary rotary = test::half_rotary;
  rotary.axes = {"t", "y", "x"}, rotary.rungs = Rungs::dealt, rotary.sections = Nothing{};
  rotary.deal = {{{"t"}, 3}, {{"y", "x"}, 4}, {{"none"}, 1}}, rotary.order = PairOrder::rung_major;
  const Positions from[] = {Positions::range(9, 12), Positions::range(0, 12), Positions::range(-5, 12, 3)},
                  to[] = {Positions::range(2, 12), Positions::range(0.5, 12), Positions::range(-5, 12, 3)};
  expect_within_its_bound<TypeParam>(rotary, 16, {from}, {to});
}

TEST(Rerotate, LeavesKeysThatStayAsTheyAre) {
  const Positions at[] = {Positions::range(3, 4)};
  const std::vector<float> before = keys_at(test::half_rotary, some_keys<float>(4 * 8), 8, {at});
  std::vector<float> moved = before;
  const View both = view(moved.data(), {4, 8});
  rerotate(test::half_rotary, {at}, {at}, both, both);
  EXPECT_EQ(moved, before);
}

TEST(Rerotate, RefusesWhatHasNoAnswer) {
  std::vector<float> x(5 * 8);
  const View out = view(x.data(), {5, 8});
  const Positions five[] = {Positions::range(0, 5)}, four[] = {Positions::range(0, 4)};
  const auto refused = [&](const Convention& convention, const Standing& from, const Standing& to) {
    return said(check_rerotate(convention, from, to, out, out));
  };
  EXPECT_EQ(refused(test::paper_sinusoid, {five}, {five}), "[rerotate] the convention must be rotary, got sinusoid");
  EXPECT_EQ(refused(test::half_rotary, {five}, {four}),
            "[rerotate] positions must be 4 on every axis, got 5 of position");
  EXPECT_EQ(refused(test::half_rotary, {four}, {four}),
            "[rerotate] out must have a row for each of 4 positions, got [5, 8]");
  EXPECT_EQ(refused(test::half_rotary, {}, {five}),
            "[rerotate] positions must be a list for each axis: position, got 0 lists");
  Rotary by_column = test::adjacent_rotary;
  by_column.angles = AnglesBy::column;
  EXPECT_EQ(refused(by_column, {five}, {five}), "[rerotate] a pair must turn by one angle, got angles by column");
  Rotary dynamic = test::half_rotary;
  std::get<Geometric>(dynamic.ladders[0]).scaling = DynamicNtkScaling{4, 2048};
  EXPECT_EQ(refused(dynamic, {five, {.length = 5}}, {five}),
            "[convention] length must be stated: the scaling depends on it, got none");
}

}  // namespace
}  // namespace posenc
