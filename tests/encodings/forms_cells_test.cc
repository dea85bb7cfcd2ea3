// SPDX-License-Identifier: Apache-2.0
// Cells of conventions that have no short form, through the public calls, against MPFR; and those that are refused.
#include <gtest/gtest.h>
#include <posenc/grid.h>

#include <functional>

#include "tests/encodings/forms.h"
#include "tests/encodings/said.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/surroundings.h"
#include "tests/numerics/formats.h"

namespace posenc {
namespace {

using oracle::Value;
using test::listed;
using test::said;
using test::wave;

const Waves grid_waves = test::paper_grid;

using Cell = std::function<Value(double x, double y, std::size_t c)>;

template <class T>
void expect_cells_of(const Rows& rows, const Cell& cell) {
  const std::int64_t height = 3, width = 5, d = rows.width();
  std::vector<T> out(static_cast<std::size_t>(height * width * d)), flat(out.size());
  rows.write_cells(view(out.data(), {height, width, d}));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i) / d;
    const auto x = static_cast<double>(at % width), y = static_cast<double>(at / width);
    const std::size_t c = i % static_cast<std::size_t>(d);
    EXPECT_EQ(numerics::widened(out[i]), oracle::rounded(cell(x, y, c), numerics::format<T>))
        << "column " << c << " at x = " << x << ", y = " << y;
  }
  const GridChunks chunks(rows, {height, width}, dtype_of<T>);
  chunks.write(0, view(flat.data(), {7, d}));
  chunks.write(7, view(flat.data() + 7 * d, {8, d}));
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(numerics::widened(flat[i]), numerics::widened(out[i]));
}
void expect_cells(const Waves& waves, std::int64_t dim, const Cell& cell) {
  ASSERT_EQ(said(Rows::check(waves, dim)), "nothing");
  const Rows rows(waves, dim);
  ASSERT_EQ(rows.width(), columns(waves, dim));
  expect_cells_of<float>(rows, cell);
  expect_cells_of<double>(rows, cell);
  expect_cells_of<half>(rows, cell);
  expect_cells_of<bfloat16>(rows, cell);
}

// SAM's Gaussian matrix: 2 pi (x a_k + y b_k)
TEST(FormsOfCells, SumsOverTheAxesOfAGrid) {
  const std::vector<double> a = {0.3, -1.7, 0.25}, b = {-0.6, 0.1, 0.5}, phases = {0.125, 0.3, 0};
  Waves waves = grid_waves;
  waves.rungs = Rungs::summed, waves.sections = Nothing{};
  waves.ladders = {listed(a, AngleUnit::turns), listed(b, AngleUnit::turns)};
  const auto turns = [&](double x, double y, std::size_t k) {
    return (Value(x) * Value(a[k]) + Value(y) * Value(b[k])) * Value(2) * oracle::pi();
  };
  expect_cells(waves, 6, [&](double x, double y, std::size_t c) { return wave(c / 3, turns(x, y, c % 3)); });
  waves.phases = phases, waves.scale = 0.1;
  expect_cells(waves, 6, [&](double x, double y, std::size_t c) {
    return Value(0.1) * wave(c / 3, turns(x, y, c % 3) + Value(phases[c % 3]) * Value(2) * oracle::pi());
  });
}

TEST(FormsOfCells, PeriodsBehindTheCoordinatesOfACell) {
  Waves waves = grid_waves;
  waves.order = PairOrder::rung_major, waves.scope = Scope::period, waves.lead = Lead::coordinates;
  expect_cells(waves, 10, [](double x, double y, std::size_t c) {  // x y | xs0 ys0 xc0 yc0 | xs1 ..
    const Value p(c % 2 == 0 ? x : y);
    if (c < 2) return p;
    const Value w = pow(Value(10000), Value(c < 6 ? 0 : -0.5));
    return wave((c - 2) / 2 % 2, p * w);
  });
}

TEST(FormsOfCells, RunsOfUnequalAxesWithZerosBehindThem) {
  Waves waves = grid_waves;
  waves.sections = std::vector<std::int64_t>{0, 2}, waves.rest = RestColumns::zero_columns;
  for (const double scale : {1.0, -0.3}) {
    waves.scale = scale;
    expect_cells(waves, 6, [&](double, double y, std::size_t c) {
      return c < 4 ? Value(scale) * wave(c / 2, Value(y) * pow(Value(100), Value(c % 2 == 0 ? 0 : -1))) : Value(0);
    });
  }
}

TEST(FormsOfCells, PairsThatAreDealtToAnAxisOrToNone) {
  Waves waves = grid_waves;
  waves.rungs = Rungs::dealt, waves.sections = Nothing{}, waves.order = PairOrder::rung_major;
  waves.deal = {{{"y", "none", "x"}, 3}}, waves.layout = Layout::interleaved;
  expect_cells(waves, 6, [](double x, double y, std::size_t c) {
    const Value w = pow(Value(10000), Value(-2) * Value(static_cast<double>(c / 2)) / Value(6));
    return wave(c % 2, Value(c < 2 ? y : c < 4 ? 0 : x) * w);
  });
}

TEST(FormsOfCells, AreTheSameInEverySurrounding) {
  Waves waves = grid_waves;
  waves.lead = Lead::coordinates, waves.scale = 0.1;
  const auto cells = [&](const Executor& executor) {
    std::vector<float> out(3 * 5 * 10);
    grid(waves, view(out.data(), {3, 5, 10}), {.executor = executor});
    return out;
  };
  const std::vector<float> expected = cells(serial);
  EXPECT_EQ(cells(test::reversed), expected);
  EXPECT_EQ(cells(test::two_threads), expected);
  for (const int mode : test::rounding_modes) {
    std::vector<float> values;
    EXPECT_TRUE(test::survives(mode, [&] { values = cells(serial); })) << mode;
    EXPECT_EQ(values, expected) << mode;
  }
}

// ---- more axes than two ----------------------------------------------------------------------------

// Column c of a cell whose axes t, x, y have 2, 3 and 3 eighths of 16 columns, in blocks of sines and cosines.
Value eighths(double t, double x, double y, std::size_t c) {
  const std::size_t pairs = c < 4 ? 2 : 3, within = c < 4 ? c : (c - 4) % 6;
  const double p = c < 4 ? t : c < 10 ? x : y;
  const Value e = Value(-static_cast<double>(within % pairs)) / Value(static_cast<double>(pairs));
  return wave(within / pairs, Value(p) * pow(Value(10000), e));
}

TEST(FormsOfCells, OfThreeAxesHaveTheirLinesAndColumnsLast) {
  Waves waves = grid_waves;
  waves.axes = {"t", "x", "y"}, waves.sections = AxisShares{{2, 3, 3}, 8, "t"};
  EXPECT_EQ(cell_axes(waves), (std::vector<std::string>{"t", "y", "x"}));
  const std::int64_t frames = 2, height = 3, width = 4;
  std::vector<float> out(static_cast<std::size_t>(frames * height * width * 16)), flat(out.size());
  grid(waves, view(out.data(), {frames, height, width, 16}));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto cell = static_cast<std::int64_t>(i / 16);
    const auto x = static_cast<double>(cell % width), y = static_cast<double>(cell / width % height),
               t = static_cast<double>(cell / width / height);
    EXPECT_EQ(static_cast<double>(out[i]), oracle::rounded(eighths(t, x, y, i % 16), numerics::format<float>))
        << "column " << i % 16 << " of cell " << cell;
  }
  const GridChunks chunks(Rows(waves, 16), {frames, height, width}, DType::f32);
  for (const auto& [first, count] : {std::pair{0, 5}, {5, 1}, {6, 18}}) {
    chunks.write(first, view(flat.data() + first * 16, {count, 16}), test::reversed);
  }
  EXPECT_EQ(flat, out);
}

TEST(FormsOfCells, OfOtherAxesAreInTheOrderOfTheConventionButForYAndX) {
  Waves waves = grid_waves;
  const auto order = [&](std::vector<std::string> axes) {
    waves.axes = std::move(axes);
    return cell_axes(waves);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(order({"x", "y"}), (Names{"y", "x"}));
  EXPECT_EQ(order({"x", "y", "z"}), (Names{"z", "y", "x"}));
  EXPECT_EQ(order({"w", "x", "t"}), (Names{"w", "t", "x"}));
  waves.axes = {"u", "v"};
  std::vector<double> out(2 * 3 * 8);
  grid(waves, view(out.data(), {2, 3, 8}));
  EXPECT_EQ(out[(1 * 3 + 0) * 8],
            oracle::rounded(sin(Value(1)), numerics::format<double>));  // u, the line, comes first
  EXPECT_EQ(out[(0 * 3 + 2) * 8], 0);
}

TEST(FormsOfCells, OfThreeAxesTakeOutputsOfFour) {
  Waves waves = grid_waves;
  waves.axes = {"t", "x", "y"};
  std::vector<float> out(2 * 3 * 4 * 12);
  EXPECT_EQ(said(check_grid(waves, view(out.data(), {6, 4, 12}))),
            "[grid] out must have shape [t, height, width, d], got [6, 4, 12]");
  EXPECT_EQ(said(check_grid(waves, view(out.data(), {2, 3, 3, 16}))),
            "[convention] width must be a multiple of 6: each axis has as many pairs, got 16");
  const Rows rows(waves, 12);
  EXPECT_EQ(said(GridChunks::check(rows, {6, 4}, DType::f32)), "[grid] extents must be those of t, y, x, got [6, 4]");
  EXPECT_EQ(said(GridChunks::check(rows, {2, -1, 4}, DType::f32)),
            "[grid] extents must be >= 0 and have a product below 2^63, got [2, -1, 4]");
  EXPECT_EQ(said(GridChunks::check(rows, {1 << 21, 1 << 21, 1 << 21}, DType::f32)),
            "[grid] extents must be >= 0 and have a product below 2^63, got [2097152, 2097152, 2097152]");
}

TEST(FormsOfCells, ThatAreRefused) {
  Waves waves = grid_waves;
  waves.phases = std::vector<double>{0, 0, 0, 0};
  EXPECT_EQ(said(Rows::check(waves, 8)),
            "[convention] phases must be none where each axis has its own pairs, got listed");
}

}  // namespace
}  // namespace posenc
