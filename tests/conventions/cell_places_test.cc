// SPDX-License-Identifier: Apache-2.0
// A name brings its numbering of cells; a convention without one has that of the presets that it is.
#include <gtest/gtest.h>
#include <posenc/cell_places.h>
#include <posenc/grid.h>
#include <posenc/rows.h>

#include <algorithm>

namespace posenc {
namespace {

// [height, width, d] of the rows at the coordinates of every cell.
std::vector<float> by_coordinates(const Preset& preset, std::int64_t dim, std::int64_t height, std::int64_t width) {
  const Rows rows(preset.convention, dim);
  std::vector<double> y, x;
  const std::int64_t extents[] = {height, width};
  std::vector<double> lines(static_cast<std::size_t>(height)), columns(static_cast<std::size_t>(width));
  const PlaceNumbering places = preset.places ? *preset.places : whole_places;
  place_coordinates(places, extents, 0, view(lines.data(), {height}));
  place_coordinates(places, extents, 1, view(columns.data(), {width}));
  for (const double line : lines) {
    for (const double column : columns) y.push_back(line), x.push_back(column);
  }
  std::vector<Positions> lists;
  for (const std::string& axis : rows.axes()) {
    const std::vector<double>& list = axis == "y" ? y : x;
    lists.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
  }
  std::vector<float> made(static_cast<std::size_t>(height * width * rows.width()));
  rows.write(lists, view(made.data(), {height * width, rows.width()}));
  return made;
}

bool is_image(const Preset& each) {
  return !check_use("test", ConventionUse::cells, each.convention) &&
         cell_axes(each.convention) == std::vector<std::string>{"y", "x"};
}
std::optional<std::int64_t> width_of(const Preset& each) {
  for (const std::int64_t dim : {32, 64, 60, 36, 34, 516, 18, 2, 1}) {
    if (!Rows::check(each.convention, dim)) return dim;
  }
  return std::nullopt;
}

TEST(CellPlaces, AGridOfAPresetIsNumberedAsItsOriginalNumbersIt) {
  int numbered = 0;
  for (const Preset& each : presets()) {
    const auto dim = is_image(each) ? width_of(each) : std::nullopt;
    if (!dim) continue;
    const std::vector<float> expected = by_coordinates(each, *dim, 3, 5);
    const std::int64_t width = std::ssize(expected) / 15;
    std::vector<float> made(expected.size()), rows(expected.size()), whole(expected.size());
    Rows(each.convention, *dim).write_cells(view(rows.data(), {3, 5, width}), places_of(each));
    Rows(each.convention, *dim).write_cells(view(whole.data(), {3, 5, width}));
    EXPECT_EQ(rows, expected) << each.name;
    EXPECT_EQ(whole == expected, !each.places) << each.name;
    if (!check_grid(each, view(made.data(), {3, 5, width}))) {  // a width of its own is no width of a row
      grid(each, view(made.data(), {3, 5, width}));
      EXPECT_EQ(made, expected) << each.name;
    }
    numbered += each.places.has_value();
  }
  EXPECT_GE(numbered, 8);
}

TEST(CellPlaces, AConventionWithoutANameHasThoseOfThePresetsThatItIs) {
  const Preset &own = preset("grounding-dino-sine"), &detr = preset("detr-sine");
  EXPECT_EQ(cell_places(own.convention), *own.places);
  EXPECT_EQ(cell_places(with_field(own.convention, "ladder.base", 12345)), whole_places);
  const auto problem = check_cell_places(detr.convention);
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->value.find("detr-sine, deformable-detr-sine"), std::string::npos) << problem->value;
  const Preset& dino = preset("rope2d-dinov3");
  EXPECT_EQ(cell_places(with_field(dino.convention, "stored", "sine_cosine")), *dino.places) << "stored otherwise";
  for (const Preset& each : presets()) {
    const std::vector<const Preset*> equal = presets_of(each.convention);
    EXPECT_NE(std::ranges::find(equal, &each), equal.end()) << each.name;
  }
}

}  // namespace
}  // namespace posenc
