// SPDX-License-Identifier: Apache-2.0
// Flat grids that begin or end within a row of cells.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/referee/identify.h>

#include <algorithm>
#include <ctime>
#include <tuple>
#include <utility>

#include "src/referee/cut_grid.h"

namespace posenc {
namespace {

// [height width, columns] of a preset.
std::vector<float> flat_grid(std::string_view name, std::int64_t height, std::int64_t width, std::int64_t columns) {
  std::vector<float> cells(static_cast<std::size_t>(height * width * columns));
  grid(preset(name).convention, view(cells.data(), {height, width, columns}));
  return cells;
}

Identification without_ends(const std::vector<float>& cells, std::int64_t columns, std::int64_t front,
                            std::int64_t back) {
  const std::int64_t count = std::ssize(cells) / columns - front - back;
  return identify(view(cells.data() + front * columns, {count, columns}));
}

TEST(CutGrid, TellsTheRowAndItsCells) {
  for (const std::string_view name : {"mae-2d", "d-fine-2d"}) {
    const std::vector<float> cells = flat_grid(name, 9, 14, 64);
    for (const auto& [front, back, words] :
         {std::tuple(5, 0, "within a row of 14 cells: 9 cells before the first whole row, 0 cells behind the last"),
          std::tuple(0, 3, "within a row of 14 cells: 0 cells before the first whole row, 11 cells behind the last"),
          std::tuple(15, 29, "within a row of 14 cells: 13 cells before the first whole row, 13 cells behind the last"),
          std::tuple(13, 1, "within a row of 14 cells: 1 cell before the first whole row, 13 cells behind the last")}) {
      const Identification told = without_ends(cells, 64, front, back);
      ASSERT_TRUE(told.nearest) << to_string(told);
      EXPECT_NE(std::ranges::find(told.nearest->presets, name), told.nearest->presets.end()) << to_string(told);
      EXPECT_EQ(told.kind, std::string("cut from a grid ") + words) << to_string(told);
    }
  }
}

TEST(CutGrid, SaysWhereItsPartsAreOthers) {
  std::vector<float> cells = flat_grid("mae-2d", 9, 14, 64);
  for (std::int64_t cell = 5; cell < 14; ++cell) {  // of another row
    std::copy_n(cells.begin() + (14 * 6 + cell) * 64, 64, cells.begin() + cell * 64);
  }
  const Identification told = without_ends(cells, 64, 5, 0);
  ASSERT_TRUE(told.nearest) << to_string(told);
  EXPECT_TRUE(told.kind.ends_with("which are not those of that grid")) << to_string(told);
}

TEST(CutGrid, IsNoneWhereRowsAreWhole) {
  const std::vector<float> cells = flat_grid("mae-2d", 9, 14, 64);
  for (const auto& [front, back] : {std::pair(0, 0), std::pair(14, 0), std::pair(14, 28)}) {
    EXPECT_FALSE(without_ends(cells, 64, front, back).candidates.empty()) << front << " " << back;
  }
}

// Columns of one number throughout, which repeat after any number of rows, are looked at once.
TEST(CutGrid, ColumnsThatNeverChangeTakeNoTime) {
  constexpr std::int64_t rows_there = 16384, columns = 128;
  std::vector<float> entries(rows_there * columns);
  for (std::size_t i = 127; i < entries.size(); i += columns) entries[i] = static_cast<float>(i * i % 9973);
  const std::clock_t begin = std::clock();
  EXPECT_FALSE(referee::cut_grid_of(view(std::as_const(entries).data(), {rows_there, columns})));
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5);  // 0.1 s; for every length minutes
}

}  // namespace
}  // namespace posenc
