// SPDX-License-Identifier: Apache-2.0
// Every file of tests/goldens that holds rows at coordinates, against the library: a new file needs no line here.
#include <gtest/gtest.h>
#include <posenc/rows.h>

#include <algorithm>
#include <cmath>

#include "tests/encodings/golden_tables.h"

namespace posenc {
namespace {

using test::GoldenArray;
using test::GoldenFile;

Context context_of(const GoldenFile& file) {
  const std::string learned = file.metadata("learned");
  return {.length = 0, .centre = {}, .learned = learned.empty() ? std::nullopt : std::optional(std::stod(learned))};
}

// The library's rows at the places of a case.
template <class T>
std::vector<T> rows_at(const GoldenFile& file, const std::string& of_width, const Recipe& recipe) {
  const GoldenArray& places = file[of_width + "/places"];
  const Rows rows(preset(file.metadata("preset")).convention, std::stoll(of_width.substr(1)),
                  {.recipe = recipe, .context = context_of(file)});
  const auto axes = static_cast<std::size_t>(places.shape[1]);
  const std::vector<double> values = places.reals();
  std::vector<std::vector<double>> lists(axes);
  for (std::size_t i = 0; i < values.size(); ++i) lists[i % axes].push_back(values[i]);
  std::vector<Positions> coordinates;
  for (const std::vector<double>& list : lists)
    coordinates.push_back(Positions::list(view(list.data(), {places.shape[0]})));
  std::vector<T> out(static_cast<std::size_t>(places.shape[0] * rows.width()));
  rows.write(coordinates, view(out.data(), {places.shape[0], rows.width()}));
  return out;
}

// The original's coordinates are f32: others are not the places' own.
bool are_f32(const GoldenArray& places) {
  const std::vector<double> values = places.reals();
  return std::ranges::all_of(values, [](double x) { return x == static_cast<double>(static_cast<float>(x)); });
}

std::size_t equal_entries(std::span<const float> a, std::span<const float> b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i];
  return equal;
}

template <class Check>
void for_each_case(const Check& check) {
  for (const std::string& name : test::golden_names("places")) {
    const GoldenFile file(name);
    for (const std::string& of_width : file.cases()) {
      SCOPED_TRACE(name + " " + of_width);
      check(file, of_width);
    }
  }
}

TEST(CoordinateGoldens, ExactRowsAreEqualToTheBit) {
  std::int64_t tables = 0;
  for_each_case([&](const GoldenFile& file, const std::string& of_width) {
    const auto expect_equal = [&]<class T>(T, const GoldenArray& golden) {
      const std::vector<T> ours = rows_at<T>(file, of_width, exact());
      ASSERT_EQ(ours.size() * sizeof(T), golden.bytes.size());
      EXPECT_EQ(ours, std::vector(golden.values<T>().begin(), golden.values<T>().end()));
      ++tables;
    };
    expect_equal(float{}, file[of_width + "/exact/f32"]);
    expect_equal(double{}, file[of_width + "/exact/f64"]);
  });
  EXPECT_GE(tables, 40);
}

// Each side's waves are off by 2 u = 2^-23 of the row's scale, storage included, and by what the file says of an angle.
TEST(CoordinateGoldens, RowsOfOriginalsAreThoseOfTheirRecipesWithinWhatTheirAnglesCost) {
  constexpr double u = 0x1p-24;
  for_each_case([&](const GoldenFile& file, const std::string& of_width) {
    const double roundings = std::stod(file.metadata("roundings")),
                 scale = std::abs(context_of(file).learned.value_or(1));
    const std::vector<float> ours = rows_at<float>(file, of_width, preset(file.metadata("preset")).original);
    const std::vector<double> angles = file[of_width + "/angles"].reals();
    const std::span<const float> theirs = file[of_width + "/original"].values<float>();
    ASSERT_EQ(ours.size(), theirs.size());
    ASSERT_EQ(ours.size(), angles.size());
    const std::size_t equal = equal_entries(ours, theirs);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_NEAR(ours[i], theirs[i], scale * (roundings * u * angles[i] + 4 * u)) << "entry " << i;
    }
    // The others are where a power, a sine or a linspace of the original is a last place off: mostly MLX's.
    if (preset(file.metadata("preset")).original.exact() || !are_f32(file[of_width + "/places"])) return;
    EXPECT_GT(2 * equal, ours.size());
    EXPECT_GE(equal, equal_entries(file[of_width + "/exact/f32"].values<float>(), theirs));
  });
}

// ---- places ----------------------------------------------------------------------------------------

// The values of each axis, each once; nothing where the places are not all cells of a grid.
std::vector<std::vector<double>> sides_of(const GoldenArray& places) {
  const auto axes = static_cast<std::size_t>(places.shape[1]);
  const std::vector<double> values = places.reals();
  std::vector<std::vector<double>> sides(axes);
  for (std::size_t i = 0; i < values.size(); ++i) sides[i % axes].push_back(values[i]);
  std::int64_t cells = 1;
  for (std::vector<double>& side : sides) {
    std::ranges::sort(side);
    side.erase(std::ranges::unique(side).begin(), side.end());
    cells *= std::ssize(side);
  }
  return cells == places.shape[0] ? sides : std::vector<std::vector<double>>();
}

// An original makes its coordinates in f32, by up to four operations.
TEST(CoordinateGoldens, PresetsNumberPlacesAsTheirOriginalsDo) {
  int grids = 0;
  for (const Preset& preset : presets()) {
    const GoldenFile file{std::string(preset.name)};
    if (!preset.places || file.metadata("kind") == "stored_rows") continue;  // whole: relative_goldens_test.cc
    for (const std::string& each : file.cases()) {
      SCOPED_TRACE(std::string(preset.name) + " " + each);
      const bool turned = file.metadata("kind") == "axes";
      const std::vector<std::vector<double>> sides = sides_of(file[each + (turned ? "/coordinates" : "/places")]);
      std::vector<std::int64_t> extents;
      for (const std::vector<double>& side : sides) extents.push_back(std::ssize(side));
      for (std::size_t axis = 0; axis < sides.size(); ++axis) {
        std::vector<double> ours(sides[axis].size());
        place_coordinates(*preset.places, extents, axis, view(ours.data(), {std::ssize(ours)}));
        const double half = preset.name == "diffusers-2d" ? 0.5 : 1;  // its golden has an interpolation_scale of 2
        for (std::size_t i = 0; i < ours.size(); ++i) {
          EXPECT_NEAR(half * ours[i], sides[axis][i], 0x1p-22 * std::max(1.0, std::abs(ours[i]))) << axis << ", " << i;
        }
      }
      grids += sides.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(grids, 15);
}

// Padded images: the coordinates that a mask gives, then their rows. The original's coordinates and angles are f32, 8
// operations; a line without a present cell has angles of -3e6 in Deformable DETR, which an f32 no longer tells.
TEST(CoordinateGoldens, MaskedPlacesAreThoseOfTheirOriginals) {
  int models = 0;
  for (const std::string& name : test::golden_names("masked_places")) {
    const GoldenFile file(name);
    const ConstView mask = file["mask"].view();
    const std::int64_t cells = mask.count();
    for (const auto& [tensor, original] : file.tensors()) {
      if (tensor == "mask") continue;
      SCOPED_TRACE(tensor);
      const Preset& of = preset(tensor.substr(0, tensor.find('/')));
      std::vector<double> y(static_cast<std::size_t>(cells)), x(y);
      masked_place_coordinates(*of.places, mask, 0, view(y.data(), {mask.size(0), mask.size(1)}));
      masked_place_coordinates(*of.places, mask, 1, view(x.data(), {mask.size(0), mask.size(1)}));
      const std::int64_t dim = original.shape[2];
      const Positions places[] = {Positions::list(view(y.data(), {cells})), Positions::list(view(x.data(), {cells}))};
      std::vector<float> rows(static_cast<std::size_t>(cells * dim));
      Rows(of.convention, dim).write(places, view(rows.data(), {cells, dim}));
      const std::span<const float> theirs = original.values<float>();
      ASSERT_EQ(rows.size(), theirs.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t cell = i / static_cast<std::size_t>(dim);
        const double angle =
            std::abs(i % static_cast<std::size_t>(dim) < static_cast<std::size_t>(dim) / 2 ? y[cell] : x[cell]);
        ASSERT_NEAR(rows[i], theirs[i], 8 * 0x1p-24 * angle + 4 * 0x1p-24) << "cell " << cell;
      }
      ++models;
    }
  }
  EXPECT_EQ(models, 2);
}

}  // namespace
}  // namespace posenc
