// SPDX-License-Identifier: Apache-2.0
// Waves at lists of coordinates: the cells of grids, and what no grid has, against MPFR.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include "tests/encodings/element_types.h"
#include "tests/encodings/field.h"
#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/surroundings.h"
#include "tests/numerics/formats.h"

namespace posenc {
namespace {

using oracle::Value;
using test::said;

template <class T = float>
std::vector<T> row_of_place(const Rows& rows, const std::vector<double>& place) {
  std::vector<Positions> lists;
  for (const double x : place) lists.push_back(Positions::at(x));
  std::vector<T> row(static_cast<std::size_t>(rows.width()));
  rows.write(lists, view(row.data(), {1, rows.width()}));
  return row;
}

template <class T>
class CoordinatesOfEveryType : public testing::Test {};
TYPED_TEST_SUITE(CoordinatesOfEveryType, test::TableTypes);

TYPED_TEST(CoordinatesOfEveryType, AreTheCellsOfAGrid) {
  constexpr std::int64_t height = 3, width = 5, dim = 16;
  for (const char* name : {"mae-2d", "timm-2d", "positional-encodings-2d", "d-fine-2d", "bigvision-2d"}) {
    const Preset& preset = posenc::preset(name);
    for (const Recipe& recipe : {exact(), preset.original}) {
      std::vector<TypeParam> cells(height * width * dim);
      grid(preset.convention, view(cells.data(), {height, width, dim}), {.recipe = recipe});
      const Rows rows(preset.convention, dim, {.recipe = recipe});
      for (std::int64_t i = 0; i < height * width; ++i) {
        const auto y = static_cast<double>(i / width), x = static_cast<double>(i % width);
        const bool y_first = rows.axes()[0] == "y" || rows.axes() == cell_axes(preset.convention);
        const std::vector<double> place = y_first ? std::vector{y, x} : std::vector{x, y};
        const auto begin = cells.begin() + dim * i;
        EXPECT_TRUE(test::same_bits(row_of_place<TypeParam>(rows, place), {begin, begin + dim})) << name << " " << i;
      }
    }
  }
}

TEST(Coordinates, OfOneAxisAreItsTable) {
  const std::vector<double> p = {0, -3, 2.5, 1e15};
  std::vector<float> table(4 * 7);
  const Sinusoid odd = {test::paper, Layout::sine_first, OddWidth::zero_column};
  sinusoid(odd, Positions::list(view(p.data(), {4})), view(table.data(), {4, 7}));
  for (std::size_t i = 0; i < 4; ++i) {
    const auto begin = table.begin() + static_cast<std::ptrdiff_t>(7 * i);
    EXPECT_EQ(row_of_place(Rows(odd, 7), {p[i]}), std::vector<float>(begin, begin + 7)) << p[i];
  }
}

// NeRF: the coordinates themselves, then sines and cosines of 1, 2, 4, .. of them, rung by rung
TYPED_TEST(CoordinatesOfEveryType, OfAPointHaveItInFront) {
  Waves waves = test::paper_waves;
  Geometric octaves = {2, 1, {Spacing::Over::one, 0, 0, 0}};
  octaves.slope = LadderSlope::rising;
  waves.axes = {"x", "y", "z"}, waves.ladders = {octaves}, waves.sections = Equal{};
  waves.order = PairOrder::rung_major, waves.scope = Scope::period, waves.layout = Layout::sine_first;
  waves.lead = Lead::coordinates;
  const Rows rows(waves, 15);
  for (const std::vector<double>& place : {std::vector{0.25, -0.5, 1.0}, {1e-3, 700.125, -3.0}}) {
    const std::vector<TypeParam> found = row_of_place<TypeParam>(rows, place);
    const auto expect = [&](std::size_t c, const Value& value) {
      EXPECT_EQ(numerics::widened(found[c]), oracle::rounded(value, numerics::format<TypeParam>)) << c;
    };
    for (std::size_t a = 0; a < 3; ++a) {
      expect(a, Value(place[a]));
      for (std::size_t k = 0; k < 2; ++k) {
        const Value angle = Value(place[a]) * Value(k == 0 ? 1 : 2);
        expect(3 + 6 * k + a, sin(angle)), expect(6 + 6 * k + a, cos(angle));
      }
    }
  }
}

TEST(Coordinates, EveryRowIsTheSameHoweverItIsPassed) {
  const Rows rows(preset("mae-2d").convention, 20);
  constexpr std::int64_t length = 83;
  std::vector<double> x(2 * length), y(length);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / 7 - 3;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i % 5);
  const Positions lists[] = {Positions::list(view(x.data(), {2, length})), Positions::list(view(y.data(), {length}))};
  for (const test::Memory memory : test::memories) {
    test::Field<half> out({2, length, 20}, memory);
    rows.write(lists, out.view(), test::reversed);
    EXPECT_TRUE(out.rest_is_untouched());
    const std::vector<half> values = out.values();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(20 * i);
      EXPECT_TRUE(test::same_bits(row_of_place<half>(rows, {x[i], y[i % length]}), {begin, begin + 20})) << i;
    }
  }
}

TEST(Coordinates, HaveTheScaleOfTheirContext) {
  Waves waves = test::paper_waves;
  waves.scale = LearnedScale{1};
  EXPECT_EQ(said(Rows::check(waves, 8)),
            "[convention] learned must be stated: the scale is a factor of the caller's, got none");
  const std::vector<float> plain = row_of_place(Rows(test::paper_waves, 8), {17}),
                           twice = row_of_place(Rows(waves, 8, {.context = {.learned = 2}}), {17});
  for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(twice[c], 2 * plain[c]) << c;
}

TEST(Coordinates, RefuseOtherConventionsListsAndShapes) {
  EXPECT_EQ(said(Rows::check(test::half_rotary, 8)), "[rows] the convention must be waves, got rotary");
  const Rows rows(preset("mae-2d").convention, 8);
  std::vector<float> memory(5 * 8);
  const View out = view(memory.data(), {5, 8});
  const auto refused = [&](std::vector<Positions> lists, const View& to) { return said(rows.check_write(lists, to)); };
  EXPECT_EQ(refused({Positions::range(0, 5), Positions::range(0, 5)}, out), "nothing");
  EXPECT_EQ(refused({Positions::range(0, 5)}, out),
            "[coordinates] positions must be a list for each axis: x, y, got 1 list");
  EXPECT_EQ(refused({Positions::range(0, 5), Positions::range(0, 4)}, out),
            "[coordinates] positions must be 5 on every axis, got 4 of y");
  EXPECT_EQ(refused({Positions::range(0, 4), Positions::range(0, 4)}, out),
            "[coordinates] out must have a row for each of 4 positions, got [5, 8]");
  EXPECT_EQ(refused({Positions::range(0, 10), Positions::range(0, 10)}, view(memory.data(), {10, 4})),
            "[coordinates] out must have 8 columns, got [10, 4]");
}

}  // namespace
}  // namespace posenc
