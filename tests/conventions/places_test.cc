// SPDX-License-Identifier: Apache-2.0
// Coordinates of places: against the formula in long double, at their ends, and what is refused.
#include <posenc/places.h>

#include <gtest/gtest.h>
#include <posenc/preset.h>

#include <cmath>
#include <limits>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;

std::vector<double> coordinates(const PlaceNumbering& places, const std::vector<std::int64_t>& extents,
                                std::size_t axis) {
  std::vector<double> list(static_cast<std::size_t>(extents[axis]));
  place_coordinates(places, extents, axis, view(list.data(), {std::ssize(list)}));
  return list;
}

constexpr PlaceNumbering centres = {0.5, Divisor::count, 0, 2, -1, WholePlaces::none};
constexpr PlaceNumbering to_2_pi = {1.0, Divisor::last, 1e-6, 6.283185307179586, 0, WholePlaces::none};

TEST(Places, AreWholeNumbersFromZero) {
  EXPECT_EQ(coordinates(whole_places, {4}, 0), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(coordinates(whole_places, {0}, 0), std::vector<double>{});
}

TEST(Places, AreCentresOfCellsAndEdgesOfALine) {
  EXPECT_EQ(coordinates(centres, {3, 4}, 1), (std::vector<double>{-0.75, -0.25, 0.25, 0.75}));
  const PlaceNumbering edges = {0.0, Divisor::gaps, 0, 2, -1, WholePlaces::none};
  EXPECT_EQ(coordinates(edges, {5, 2}, 0), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
}

TEST(Places, AreDividedByWhatTheirDivisorSays) {
  const std::vector<std::int64_t> extents = {2, 8, 4};
  const auto second = [&](Divisor divisor) {
    return coordinates({1.0, divisor, 0, 1, 0, WholePlaces::none}, extents, 2)[1];
  };
  EXPECT_EQ(second(Divisor::one), 2);
  EXPECT_EQ(second(Divisor::count), 2.0 / 4);
  EXPECT_EQ(second(Divisor::gaps), 2.0 / 3);
  EXPECT_EQ(second(Divisor::last), 2.0 / 4);  // 1 + 3
  EXPECT_EQ(second(Divisor::longest), 2.0 / 8);
  EXPECT_EQ(second(Divisor::shortest), 2.0 / 2);
}

TEST(Places, MayHaveZeroInTheirMiddle) {
  const PlaceNumbering around = {FirstPlace::minus_half, Divisor::one, 0, 1, 0, WholePlaces::none};
  EXPECT_EQ(coordinates(around, {4}, 0), (std::vector<double>{-2, -1, 0, 1}));
  EXPECT_EQ(coordinates(around, {5}, 0), (std::vector<double>{-3, -2, -1, 0, 1}));
}

TEST(Places, MayBeRoundedDown) {
  const PlaceNumbering of_256 = {0.0, Divisor::count, 0, 256, 0, WholePlaces::floor};
  EXPECT_EQ(coordinates(of_256, {5}, 0), (std::vector<double>{0, 51, 102, 153, 204}));
  const PlaceNumbering below = {-0.5, Divisor::one, 0, 1, 0, WholePlaces::floor};
  EXPECT_EQ(coordinates(below, {2}, 0), (std::vector<double>{-1, 0}));
}

// Long double has 11 bits more than double: a tie of the real number between two doubles is not met here.
TEST(Places, AreTheRealNumberRoundedOnce) {
  for (const std::int64_t n : {1, 2, 7, 25, 34, 997}) {
    const std::vector<double> list = coordinates(to_2_pi, {n}, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      const long double gain = to_2_pi.gain, divisor = static_cast<long double>(n) + to_2_pi.eps;
      const long double real = static_cast<long double>(i + 1) * gain / divisor;
      EXPECT_EQ(list[static_cast<std::size_t>(i)], static_cast<double>(real)) << n << " places, place " << i;
    }
  }
}

TEST(Places, OfPresetsKeepTheirRules) {
  std::size_t stated = 0;
  for (const Preset& preset : presets()) {
    if (!preset.places) continue;
    ++stated;
    const std::vector<std::int64_t> extents = {3, 4};
    EXPECT_EQ(said(check_places(*preset.places, extents)), "nothing") << preset.name;
  }
  EXPECT_GE(stated, 10u);
}

TEST(Places, ArePrintedFieldByField) {
  EXPECT_EQ(to_string(centres), "first 0.5, divisor count, eps 0, gain 2, shift -1, rounding none");
}

TEST(Places, SayWhatIsWrong) {
  double room[4] = {};
  const View out = view(room, {4});
  const auto fault = [&](const PlaceNumbering& places, const std::vector<std::int64_t>& extents, std::size_t axis = 0) {
    return said(check_place_coordinates(places, extents, axis, out));
  };
  EXPECT_EQ(fault({}, {4}), "[place_coordinates] first must be stated, got none");
  PlaceNumbering bad = centres;
  bad.gain = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fault(bad, {4}), "[place_coordinates] gain must be finite, got inf");
  bad = centres, bad.divisor = Divisor{};
  EXPECT_EQ(fault(bad, {4}), "[place_coordinates] divisor must be stated, got none");
  EXPECT_EQ(fault(centres, {4}, 1), "[place_coordinates] axis must be one of 1, got 1");
  EXPECT_EQ(fault(centres, {4, -1}), "[place_coordinates] extents must be >= 0, got [4, -1]");
  EXPECT_EQ(fault(centres, {5}), "[place_coordinates] out must have shape [5], got [4]");
  bad = centres, bad.divisor = Divisor::gaps;
  EXPECT_EQ(fault(bad, {4, 1}),
            "[place_coordinates] places must have a divisor other than 0, got first 0.5, divisor gaps, eps 0, gain 2, "
            "shift -1, rounding none");
  bad = whole_places, bad.gain = 0x1p60;
  EXPECT_EQ(fault(bad, {4}), "[place_coordinates] coordinates must be at most 2^53 in size, got 3458764513820540928");
  float narrow[4] = {};
  EXPECT_EQ(said(check_place_coordinates(centres, std::vector<std::int64_t>{4}, 0, view(narrow, {4}))),
            "[place_coordinates] out must be f64, got f32");
}

}  // namespace
}  // namespace posenc
