// SPDX-License-Identifier: Apache-2.0
// Every file of tests/goldens that holds tables of a preset, against the library: a new file needs no line here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "tests/encodings/golden_tables.h"
#include "tests/encodings/last_places.h"
#include "tests/numerics/formats.h"

namespace posenc {
namespace {

using test::Distance;
using test::GoldenArray;
using test::GoldenFile;
using test::GoldenTables;
using test::last_places;
using test::with_type;

// ---- originals ------------------------------------------------------------------------------------

bool divides(const std::string& tensor) { return tensor.ends_with("/divisors"); }

TEST(Goldens, LaddersOfOriginalsAreThoseOfTheirRecipesWithinOneLastPlace) {
  for (const std::string& name : test::golden_names("tables")) {
    SCOPED_TRACE(name);
    const GoldenFile file(name);
    std::map<std::string, Distance> distances;  // by recipe
    for (const std::string& of_width : file.cases()) {
      const GoldenTables of = {file, of_width};
      for (const char* holds : {"ladder", "divisors"}) {
        for (const std::string& tensor : of.tensors(holds, false)) {
          std::vector<double> ours = test::frequencies(of, recipe(GoldenTables::by(tensor)));
          for (double& w : ours) w /= test::angle_factor(of.preset().convention);
          with_type(file[tensor].dtype, [&]<class T>(T) {
            const std::span<const T> theirs = file[tensor].values<T>();
            ASSERT_EQ(theirs.size(), ours.size()) << tensor;
            // Of the original's type. A divisor v is what w = 1 / v was made of; of f64, 1 / w may miss it by a
            // rounding.
            const auto made_of = [](double w, T v) {
              return 1 / numerics::widened(v) == w ? v : test::narrowed<T>(1 / w);
            };
            for (std::size_t k = 0; k < ours.size(); ++k) {
              const T w = test::narrowed<T>(ours[k]);
              distances[GoldenTables::by(tensor)].add(theirs[k], divides(tensor) ? made_of(ours[k], theirs[k]) : w);
            }
          });
        }
      }
    }
    for (const auto& [by, distance] : distances) {
      EXPECT_LE(distance.most, 1) << by;
      EXPECT_TRUE(distance.mostly_equal()) << by << ": " << distance.equal << " of " << distance.entries;
    }
  }
}

// The ladder that the original itself used, where the file has it.
std::optional<Listed> ladder_of(const GoldenTables& of, const std::string& by) {
  for (const char* holds : {"ladder", "divisors"}) {
    for (const std::string& tensor : of.tensors(holds, false)) {
      if (GoldenTables::by(tensor) != by) continue;
      Listed listed;
      with_type(of.file[tensor].dtype, [&]<class T>(T) {
        for (const T w : of.file[tensor].values<T>()) {
          listed.frequencies.push_back(divides(tensor) ? 1 / numerics::widened(w) : numerics::widened(w));
        }
      });
      return listed;
    }
  }
  return std::nullopt;
}

// Neighbours divided by the same number are less than 2 last places apart: their quotients may be in a lower binade.
std::int64_t last_places(const GoldenFile& file) {
  const auto* waves = std::get_if<Waves>(&preset(file.metadata("preset")).convention);
  return waves == nullptr || waves->scale == OutputScale(1.0) ? 1 : 2;
}

TEST(Goldens, TablesOfOriginalsAreThoseOfTheirRecipesOnTheirLadderWithinOneLastPlace) {
  for (const std::string& name : test::golden_names("tables")) {
    SCOPED_TRACE(name);
    const GoldenFile file(name);
    std::map<std::string, Distance> distances;
    for (const std::string& of_width : file.cases()) {
      const GoldenTables of = {file, of_width};
      for (const std::string& tensor : of.tensors("table", false)) {
        const std::optional<Listed> ladder = ladder_of(of, GoldenTables::by(tensor));
        if (!ladder) continue;
        const Convention convention = test::with_ladder(of.preset().convention, of.dim(), *ladder);
        with_type(file[tensor].dtype, [&]<class T>(T) {
          const std::vector<T> ours = test::table_of<T>(of, convention, recipe(GoldenTables::by(tensor)), file[tensor]);
          for (std::size_t i = 0; i < ours.size(); ++i) {
            distances[GoldenTables::by(tensor)].add(file[tensor].values<T>()[i], ours[i]);
          }
        });
      }
    }
    for (const auto& [by, distance] : distances) {
      EXPECT_LE(distance.most, last_places(file)) << by;
      EXPECT_TRUE(distance.mostly_equal()) << by << ": " << distance.equal << " of " << distance.entries;
    }
  }
}

// |position| x frequency of entry [row, column].
double angle_of(const GoldenTables& of, const std::vector<double>& ladder, std::size_t row, std::size_t column) {
  const std::size_t n = ladder.size();
  if (const Waves* cells = test::cells_of(of.preset().convention)) {
    const test::PlainColumn wave = test::plain_columns(*cells, of.dim())[column];
    if (!wave.axis) return 0;
    const std::vector<std::int64_t> at =
        test::plain_coordinates(*cells, {of.grid().begin(), of.grid().end()}, static_cast<std::int64_t>(row));
    return static_cast<double>(static_cast<long double>(at[*wave.axis]) *
                               test::plain_ladders(*cells, of.dim())[*wave.axis][static_cast<std::size_t>(wave.k)]);
  }
  return std::abs(of.positions().reals()[row]) *
         ladder[test::is_interleaved(of.preset().convention) ? column / 2 : column % n];
}

// With a relative error u of an operation (2^-24 in f32): a frequency within one last place, 2u, times the position,
// and each side's rounding of the product: 4u of the angle. The waves' errors are 2u, those of storage as much in its
// type.
TEST(Goldens, TablesOfOriginalsAreThoseOfTheirRecipesWithinWhatAFrequencyCosts) {
  test::for_each_golden_table([](const GoldenTables& of) {
    for (const std::string& tensor : of.tensors("table", false)) {
      const GoldenArray& golden = of.file[tensor];
      const Recipe by = recipe(GoldenTables::by(tensor));
      const std::vector<double> ladder = test::frequencies(of, by);
      const double u = GoldenTables::by(tensor).starts_with("f32") ? 0x1p-24 : 0x1p-53;
      with_type(golden.dtype, [&]<class T>(T) {
        const double storage = sizeof(T) == 2 ? 0x1p-11 : sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
        const std::vector<T> ours = test::table_of<T>(of, of.preset().convention, by, golden);
        for (std::size_t i = 0; i < ours.size(); ++i) {
          const auto columns = static_cast<std::size_t>(golden.shape[1]);
          const double angle = angle_of(of, ladder, i / columns, i % columns);
          ASSERT_NEAR(numerics::widened(ours[i]), numerics::widened(golden.values<T>()[i]),
                      4 * u * angle + 2 * u + 2 * storage)
              << tensor << ", entry " << i;
        }
      });
    }
  });
}

// Whose tests take the file.
std::string_view kind_of(const Convention& convention) {
  if (const auto* rotary = std::get_if<Rotary>(&convention)) {
    return rotary->axes.size() > 1 || !std::holds_alternative<Nothing>(rotary->decay) ? "axes" : "rotations";
  }
  constexpr std::pair<ConventionUse, std::string_view> kinds[] = {{ConventionUse::slopes, "biases"},
                                                                  {ConventionUse::classes, "classes"},
                                                                  {ConventionUse::windows, "windows"},
                                                                  {ConventionUse::log_coordinates, "coordinates"},
                                                                  {ConventionUse::query_scales, "query_scales"},
                                                                  {ConventionUse::resized_tables, "resized"},
                                                                  {ConventionUse::stored_rows, "stored_rows"}};
  for (const auto& [use, kind] : kinds) {
    if (!check_use("test", use, convention)) return kind;
  }
  return "tables";
}

// coordinates_goldens_test.cc takes rows of waves at places.
bool is_of_kind(const GoldenFile& file, const Convention& convention) {
  const std::string kind = file.metadata("kind");
  if (kind == "places") return std::holds_alternative<Waves>(convention);
  return kind == kind_of(convention) || (kind == "axes" && std::holds_alternative<Rotary>(convention));
}

TEST(Goldens, OfEveryPresetAreThereWithItsOriginal) {
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    const GoldenFile file{std::string(preset.name)};
    EXPECT_EQ(file.metadata("preset"), preset.name);
    EXPECT_TRUE(is_of_kind(file, preset.convention)) << file.metadata("kind");
    if (file.metadata("kind") != "tables") continue;
    for (const std::string& of_width : file.cases()) {
      const std::vector<std::string> tables = GoldenTables{file, of_width}.tensors("table", preset.original.exact());
      EXPECT_TRUE(std::any_of(tables.begin(), tables.end(), [&](const std::string& tensor) {
        return GoldenTables::by(tensor) == preset.original.name;
      })) << of_width;
    }
  }
}

// ---- exact ----------------------------------------------------------------------------------------

TEST(Goldens, ExactLaddersAreEqualToTheBit) {
  test::for_each_golden_table([](const GoldenTables& of) {
    for (const std::string& tensor : of.tensors("ladder", true)) {
      const std::span<const double> values = of.file[tensor].values<double>();
      EXPECT_EQ(test::frequencies(of, exact()), std::vector(values.begin(), values.end()));
    }
  });
}

TEST(Goldens, ExactTablesAreEqualToTheBitInEveryType) {
  std::set<DType> types;
  test::for_each_golden_table([&](const GoldenTables& of) {
    for (const std::string& tensor : of.tensors("table", true)) {
      const GoldenArray& golden = of.file[tensor];
      with_type(golden.dtype, [&]<class T>(T) {
        const std::vector<T> table = test::table_of<T>(of, of.preset().convention, exact(), golden);
        EXPECT_EQ(std::memcmp(table.data(), golden.bytes.data(), golden.bytes.size()), 0) << tensor;
      });
      types.insert(golden.dtype);
    }
  });
  EXPECT_EQ(types.size(), 4u);
}

// Rows that another program printed. A stored row is its convention's row times `factor`.
TEST(Goldens, PrintedRowsAreEqualToTheBit) {
  const std::map<std::string, Spacing> spacings = {{"over_width", Spacing::over_width},
                                                   {"over_gaps", Spacing::over_gaps}};
  const std::map<std::string, Layout> layouts = {
      {"interleaved", Layout::interleaved}, {"sine_first", Layout::sine_first}, {"cosine_first", Layout::cosine_first}};
  const GoldenFile file("printed-rows");
  for (const auto& [name, row] : file.tensors()) {
    const test::GoldenFields fields = file.fields(name);
    SCOPED_TRACE(fields.text("name"));
    const Sinusoid convention = {Geometric{10000, 1, spacings.at(fields.text("spacing"))},
                                 layouts.at(fields.text("layout")), OddWidth::refused};
    std::vector<float> ours(8);
    sinusoid(convention, Positions::at(fields.integer("position")), view(ours.data(), {1, 8}));
    for (float& value : ours) value *= static_cast<float>(fields.real("factor"));  // a power of two: exact
    EXPECT_EQ(ours, std::vector(row.values<float>().begin(), row.values<float>().end()));
  }
  EXPECT_EQ(file.tensors().size(), 7u);
}

TEST(LastPlaces, AreCountedAcrossZeroAndPowersOfTwo) {
  EXPECT_EQ(last_places(1.0f, std::nextafter(1.0f, 0.0f)), 1);
  EXPECT_EQ(last_places(0x1p-149f, -0x1p-149f), 2);
  EXPECT_EQ(last_places(0.0, -0.0), 0);
  EXPECT_EQ(last_places(half::from_bits(0x3C00), half::from_bits(0x3C03)), 3);
  Distance distance;
  distance.add(1.0, 1.0);
  distance.add(2.0, 2 + 0x1p-50);
  EXPECT_EQ(distance.entries, 2);
  EXPECT_EQ(distance.equal, 1);
  EXPECT_EQ(distance.most, 2);
  EXPECT_FALSE(distance.mostly_equal());
}

}  // namespace
}  // namespace posenc
