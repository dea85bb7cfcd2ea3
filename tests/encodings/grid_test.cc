// SPDX-License-Identifier: Apache-2.0
// Grids: the two halves of a cell, height and width apart, strides, errors, surroundings.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <limits>

#include "tests/encodings/element_types.h"
#include "tests/encodings/field.h"
#include "tests/encodings/plain.h"
#include "tests/encodings/said.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::Field;
using test::Memory;
using test::said;
using test::same_bits;

const Convention mae = preset("mae-2d").convention;

template <class T>
std::vector<T> grid_table(const Convention& convention, std::int64_t height, std::int64_t width, std::int64_t dim,
                          const Recipe& recipe = exact(), const Executor& executor = serial) {
  std::vector<T> out(static_cast<std::size_t>(height * width * dim));
  grid(convention, view(out.data(), {height, width, dim}), {.recipe = recipe, .executor = executor});
  return out;
}

template <class T>
class GridOfEveryType : public testing::Test {};
TYPED_TEST_SUITE(GridOfEveryType, test::TableTypes);

// Every cell from one-axis rows, in plain loops.
template <class T>
std::vector<T> cells_of(const Grid& cells, std::int64_t height, std::int64_t width, std::int64_t dim,
                        const Recipe& recipe) {
  const std::int64_t d = dim / 2, count = std::max(height, width);
  std::vector<T> rows(static_cast<std::size_t>(count * d)), out;
  sinusoid(Sinusoid{cells.ladder, cells.layout, OddWidth::refused}, Positions::range(0, count),
           view(rows.data(), {count, d}), {.recipe = recipe});
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const bool column_first = cells.axis_order == AxisOrder::column_first;
      for (const std::int64_t p : {column_first ? x : y, column_first ? y : x}) {
        out.insert(out.end(), rows.begin() + p * d, rows.begin() + (p + 1) * d);
      }
    }
  }
  return out;
}

TYPED_TEST(GridOfEveryType, CellsAreTheRowsOfTheirCoordinatesInTheNamedOrder) {
  for (const Layout layout : {Layout::interleaved, Layout::sine_first, Layout::cosine_first}) {
    for (const AxisOrder order : {AxisOrder::column_first, AxisOrder::row_first}) {
      const Grid cells = {Geometric{10000, 1, Spacing::over_gaps_or_one}, layout, order};
      for (const auto& [height, width] : {std::pair{1, 1}, {1, 5}, {5, 1}, {3, 7}, {67, 2}}) {
        for (const std::int64_t dim : {4, 20, 516}) {
          ASSERT_TRUE(same_bits(grid_table<TypeParam>(cells, height, width, dim),
                                cells_of<TypeParam>(cells, height, width, dim, exact())))
              << to_string(cells) << " " << height << " x " << width << " x " << dim;
        }
      }
    }
  }
}

TYPED_TEST(GridOfEveryType, OfARecipeHasItsRows) {
  for (const Recipe& recipe : recipes()) {
    EXPECT_TRUE(same_bits(grid_table<TypeParam>(mae, 3, 5, 12, recipe),
                          cells_of<TypeParam>(*short_form<Grid>(mae), 3, 5, 12, recipe)))
        << recipe.name;
  }
}

TEST(Grid, OfMaeEncodesTheColumnInTheFirstHalf) {
  const std::vector<double> out = grid_table<double>(mae, 14, 9, 8);
  const Sinusoid axis = {Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, OddWidth::refused};
  for (const auto& [y, x] : {std::pair{0, 0}, {13, 2}, {4, 8}}) {
    const double* cell = out.data() + (y * 9 + x) * 8;  // the flat table's row y * width + x
    EXPECT_LT(test::distance(std::vector(cell, cell + 4), test::plain_row(axis, 4, x)), 1e-15);
    EXPECT_LT(test::distance(std::vector(cell + 4, cell + 8), test::plain_row(axis, 4, y)), 1e-15);
  }
}

TEST(Grid, OfAListedLadderUsesItInBothHalves) {
  const Grid cells = {Listed{{0.5, 0.25}}, Layout::sine_first, AxisOrder::row_first};
  const std::vector<double> out = grid_table<double>(cells, 3, 3, 8);
  EXPECT_DOUBLE_EQ(out[(2 * 3 + 1) * 8 + 0], std::sin(1.0));  // y = 2, w = 0.5
  EXPECT_DOUBLE_EQ(out[(1 * 3 + 2) * 8 + 5], std::sin(0.5));  // x = 2, w = 0.25
}

TYPED_TEST(GridOfEveryType, OutputsOfAnyStridesHoldTheGridAndNothingElseChanges) {
  const std::vector<TypeParam> expected = grid_table<TypeParam>(mae, 5, 3, 12);
  for (const Memory memory : test::memories) {
    Field<TypeParam> out({5, 3, 12}, memory);
    grid(mae, out.view());
    EXPECT_TRUE(same_bits(out.values(), expected)) << static_cast<int>(memory);
    EXPECT_TRUE(out.rest_is_untouched()) << static_cast<int>(memory);
  }
}

TEST(Grid, TransposedIsTheOtherAxisOrder) {
  std::vector<float> out(5 * 3 * 12);
  grid(mae, view(out.data(), {5, 3, 12}).transposed(0, 1));
  Grid other = *short_form<Grid>(mae);
  other.axis_order = AxisOrder::row_first;
  EXPECT_TRUE(same_bits(out, grid_table<float>(other, 5, 3, 12)));
}

TEST(Grid, WithoutCellsReturnsAtOnceHoweverLargeItsOtherSide) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  float* none = nullptr;
  grid(mae, view(none, {0, huge, 8}));
  grid(mae, view(none, {huge, 0, 8}));
}

TEST(Grid, IsTheSameUnderEveryExecutorAndInEverySurrounding) {
  const auto all = [](const Executor& executor) {
    std::vector<float> values;
    for (const Recipe& recipe : {exact(), posenc::recipe("f32-exp"), posenc::recipe("f64")}) {
      const std::vector<float> out = grid_table<float>(mae, 33, 17, 20, recipe, executor);
      values.insert(values.end(), out.begin(), out.end());
    }
    return values;
  };
  const std::vector<float> expected = all(serial);
  EXPECT_TRUE(same_bits(all(test::reversed), expected));
  EXPECT_TRUE(same_bits(all(test::two_threads), expected));
  for (const int mode : test::rounding_modes) {
    std::vector<float> values;
    EXPECT_TRUE(test::survives(mode, [&] { values = all(serial); })) << mode;
    EXPECT_TRUE(same_bits(values, expected)) << mode;
  }
}

// ---- the object ---------------------------------------------------------------------------------

TEST(RowsOfCells, WriteTheBitsOfGridAtAnySize) {
  const Rows rows(mae, 20);
  EXPECT_EQ(rows.width(), 20);
  for (const auto& [height, width] : {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 3}, {33, 70}, {0, 4}}) {
    std::vector<float> out(static_cast<std::size_t>(height * width * 20));
    rows.write_cells(view(out.data(), {height, width, 20}), whole_places, test::reversed);
    EXPECT_TRUE(same_bits(out, grid_table<float>(mae, height, width, 20, exact(), serial)));
  }
}

TEST(RowsOfCells, RefuseWhatGridRefusesAndOtherWidths) {
  Field<float> field({2, 3, 8}, Memory::dense), flat({6, 8}, Memory::dense);
  EXPECT_EQ(test::thrown([] { Rows(mae, 6); }),
            "[convention] width must be a multiple of 4: each axis has as many pairs, got 6");
  EXPECT_EQ(said(Rows(preset("mae-1d").convention, 8).check_write_cells(field.view())),
            "[grid] the convention must be waves of two axes or more, as a grid is, got sinusoid");
  EXPECT_EQ(test::thrown([&] { Rows(mae, 12).write_cells(field.view()); }),
            "[grid] out must have 12 columns, got [2, 3, 8]");
  EXPECT_EQ(said(Rows(mae, 8).check_write_cells(flat.view())),
            "[grid] out must have shape [height, width, d], got [6, 8]");
  EXPECT_TRUE(field.is_untouched());
}

// ---- errors -------------------------------------------------------------------------------------

void expect_grid_refused(const std::string& text, const Convention& convention, Field<float>& field, const View& out,
                         const Recipe& recipe = exact()) {
  EXPECT_EQ(said(check_grid(convention, out, {.recipe = recipe})), text);
  EXPECT_EQ(test::thrown([&] { grid(convention, out, {.recipe = recipe}); }), text);
  EXPECT_TRUE(field.is_untouched());
}

TEST(CheckGrid, NamesTheRuleThatIsBroken) {
  Field<float> field({2, 3, 8}, Memory::dense), six({2, 3, 6}, Memory::dense), flat({6, 8}, Memory::dense);
  expect_grid_refused("[grid] the convention must be waves of two axes or more, as a grid is, got sinusoid",
                      preset("mae-1d").convention, field, field.view());
  expect_grid_refused("[grid] out must have shape [height, width, d], got [6, 8]", mae, flat, flat.view());
  expect_grid_refused("[convention] width must be a multiple of 4: each axis has as many pairs, got 6", mae, six,
                      six.view());
  expect_grid_refused("[convention] axis_order must be stated, got none",
                      Grid{Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, {}}, field, field.view());
  expect_grid_refused("[convention] the ladder must list 2 frequencies for half width 4, got 1",
                      Grid{Listed{{1}}, Layout::sine_first, AxisOrder::row_first}, field, field.view());
  expect_grid_refused("[grid] out must have 4 columns, got [2, 3, 8]", with_field(mae, "parts", "cosine"), field,
                      field.view());
  expect_grid_refused("[recipe] ladder must be stated, got none", mae, field, field.view(), {"mine", Steps{}});
  View v = field.view();
  v.dtype = DType::i32;
  expect_grid_refused("[grid] out must be f32, f64, f16 or bf16, got i32", mae, field, v);
  v = field.view();
  v.strides[1] = 0;
  expect_grid_refused("[grid] out must have no stride 0, got 0 for axis 1 of shape [2, 3, 8]", mae, field, v);
  v = field.view();
  v.data = nullptr;
  expect_grid_refused("[grid] out must have data, got a null pointer for shape [2, 3, 8]", mae, field, v);
}

}  // namespace
}  // namespace posenc
