// SPDX-License-Identifier: Apache-2.0
// Coordinates of padded grids: against counts in long double, as place_coordinates where nothing is absent, and what is
// refused.
#include <gtest/gtest.h>
#include <posenc/places.h>
#include <posenc/preset.h>

#include <random>

#include "tests/encodings/said.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::said;

constexpr PlaceNumbering of_detr = {1.0, Divisor::last, 1e-6, 6.283185307179586, 0, WholePlaces::none};
constexpr PlaceNumbering of_cells = {0.5, Divisor::count, 0, 2, -1, WholePlaces::none};

std::vector<double> masked(const PlaceNumbering& places, const std::vector<std::int32_t>& mask,
                           std::initializer_list<std::int64_t> shape, std::size_t axis) {
  std::vector<double> out(mask.size(), -77);
  masked_place_coordinates(places, view(mask.data(), shape), axis, view(out.data(), shape));
  return out;
}

TEST(MaskedPlaces, CountThePresentCellsOfTheirLine) {
  const std::vector<std::int32_t> mask = {1, 1, 0, 1,  //
                                          0, 1, 1, 0,  //
                                          0, 0, 0, 0};
  EXPECT_EQ(masked(whole_places, mask, {3, 4}, 1), (std::vector<double>{0, 1, 1, 2, -1, 0, 1, 1, -1, -1, -1, -1}));
  EXPECT_EQ(masked(whole_places, mask, {3, 4}, 0), (std::vector<double>{0, 0, -1, 0, 0, 1, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(masked(of_cells, mask, {3, 4}, 1),
            (std::vector<double>{-2.0 / 3, 0, 0, 2.0 / 3, -1.5, -0.5, 0.5, 0.5, 0, 0, 0, 0}));
}

TEST(MaskedPlaces, AreThoseOfTheGridWhereEveryCellIsPresent) {
  const std::vector<std::int64_t> shape = {2, 5, 3};
  const std::vector<std::int32_t> mask(30, 9);  // whatever is not 0
  for (const PlaceNumbering& places : {of_detr, of_cells, whole_places}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<double> line(static_cast<std::size_t>(shape[axis]));
      place_coordinates(places, shape, axis, view(line.data(), {shape[axis]}));
      const std::vector<double> all = masked(places, mask, {2, 5, 3}, axis);
      for (std::size_t cell = 0; cell < all.size(); ++cell) {
        const std::size_t at[] = {cell / 15, cell / 3 % 5, cell % 3};
        EXPECT_EQ(all[cell], line[at[axis]]) << "cell " << cell << ", axis " << axis;
      }
    }
  }
}

// Long lines are written in pieces, short ones several at a time.
TEST(MaskedPlaces, AreTheSameUnderAnyExecutor) {
  std::mt19937 random(26);
  std::vector<std::int32_t> mask(2 * 9001);
  for (std::int32_t& cell : mask) cell = random() % 3 == 0 ? 0 : 1;
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
    std::vector<double> expected;  // i of every cell, by counting
    for (std::size_t cell = 0; cell < mask.size(); ++cell) {
      const std::size_t row = cell / 9001, column = cell % 9001;
      double present = 0;
      if (axis == 0) {
        for (std::size_t y = 0; y <= row; ++y) present += mask[y * 9001 + column];
      } else {
        present = (column == 0 ? 0 : expected.back() + 1) + mask[cell];
      }
      expected.push_back(present - 1);
    }
    for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
      std::vector<double> out(mask.size(), -77);
      masked_place_coordinates(whole_places, view(mask.data(), {2, 9001}), axis, view(out.data(), {2, 9001}), executor);
      EXPECT_EQ(out, expected) << axis;
    }
  }
}

TEST(MaskedPlaces, AreRefusedByTheFirstLineThatIsWrong) {
  PlaceNumbering places = of_cells;
  places.gain = 0x1p56;  // before the first of n present cells -2^55 / n - 1
  std::vector<std::int32_t> mask(20000, 0);
  mask[5] = mask[12344] = mask[12345] = 1;
  std::vector<double> out(mask.size());
  for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
    EXPECT_EQ(said(check_masked_place_coordinates(places, view(mask.data(), {10000, 2}), 1,
                                                  view(out.data(), {10000, 2}), executor)),
              said(check_masked_place_coordinates(places, view(mask.data() + 4, {1, 2}), 1, view(out.data(), {1, 2}))));
  }
}

TEST(MaskedPlaces, OfRandomMasksAreTheRealNumberRoundedOnce) {
  constexpr std::int64_t height = 11, width = 7;
  std::mt19937 random(20261125);
  std::vector<std::int32_t> mask(height * width);
  for (int round = 0; round < 50; ++round) {
    for (std::int32_t& cell : mask) cell = random() % 4 == 0 ? 0 : 1;
    const std::vector<double> y = masked(of_detr, mask, {height, width}, 0);
    for (std::size_t x = 0; x < width; ++x) {
      long double count = 0, before = 0;
      for (std::size_t t = 0; t < height; ++t) count += mask[t * width + x];
      for (std::size_t t = 0; t < height; ++t) {
        before += mask[t * width + x];
        const long double gain = of_detr.gain, eps = of_detr.eps;
        EXPECT_EQ(y[t * width + x], static_cast<double>(before * gain / (count + eps)));
      }
    }
  }
}

TEST(MaskedPlaces, OfALineWithoutPresentCellsAreThoseOfTheCellBeforeTheFirst) {
  const PlaceNumbering deformable = {0.5, Divisor::count, 1e-6, 6.283185307179586, 0, WholePlaces::none};
  const long double eps = 1e-6, real = -0.5L * deformable.gain / eps;
  EXPECT_EQ(masked(deformable, {0, 0}, {2}, 0), (std::vector<double>(2, static_cast<double>(real))));
  EXPECT_EQ(masked(of_cells, {0, 0}, {2}, 0), (std::vector<double>{0, 0})) << "its divisor is 0";
}

TEST(MaskedPlaces, TakeAnyStridesAndNoCells) {
  const std::int64_t mask[] = {1, 0, 1, 1, 1, 1};
  double room[12] = {};
  const View every_other = {room, DType::f64, 2, {3, 2}, {4, 2}};
  const ConstView transposed = view(mask, {2, 3}).transposed(0, 1);
  masked_place_coordinates(whole_places, transposed, 1, every_other);
  EXPECT_EQ(std::vector<double>(room, room + 12), (std::vector<double>{0, 0, 1, 0, -1, 0, 0, 0, 0, 0, 1, 0}));
  masked_place_coordinates(whole_places, view(mask, {0, 3}), 1, view(room, {0, 3}));
  EXPECT_EQ(room[0], 0);
}

TEST(MaskedPlaces, SayWhatIsWrong) {
  const std::int32_t mask[] = {1, 0, 1, 1};
  double room[4] = {};
  const View out = view(room, {2, 2});
  const auto fault = [&](const PlaceNumbering& places, const ConstView& of, std::size_t axis, const View& to) {
    return said(check_masked_place_coordinates(places, of, axis, to));
  };
  const ConstView square = view(mask, {2, 2});
  EXPECT_EQ(fault(of_cells, square, 1, out), "nothing");
  EXPECT_EQ(fault(of_cells, square, 2, out), "[masked_place_coordinates] axis must be one of the mask's 2, got 2");
  EXPECT_EQ(fault({}, square, 0, out), "[masked_place_coordinates] first must be stated, got none");
  EXPECT_EQ(fault(of_cells, view(mask, {4}), 0, out),
            "[masked_place_coordinates] out must have the shape of mask, [4], got [2, 2]");
  const float numbers[4] = {};
  EXPECT_EQ(fault(of_cells, view(numbers, {2, 2}), 0, out),
            "[masked_place_coordinates] mask must be i32 or i64, got f32");
  float narrow[4] = {};
  EXPECT_EQ(fault(of_cells, square, 0, view(narrow, {2, 2})), "[masked_place_coordinates] out must be f64, got f32");
  PlaceNumbering bad = of_cells;
  bad.divisor = Divisor::longest;
  EXPECT_EQ(fault(bad, square, 0, out),
            "[masked_place_coordinates] places of a mask must have a divisor of one axis, got first 0.5, divisor "
            "longest, eps 0, gain 2, shift -1, rounding none");
  bad.divisor = Divisor::gaps;  // the first row has one present cell
  EXPECT_EQ(fault(bad, square, 1, out),
            "[masked_place_coordinates] places must have a divisor other than 0, got first 0.5, divisor gaps, eps 0, "
            "gain 2, shift -1, rounding none");
}

}  // namespace
}  // namespace posenc
