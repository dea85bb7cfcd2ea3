// SPDX-License-Identifier: Apache-2.0
// Every golden file of the presets (tests/encodings/goldens, docs/goldens.md) against the library.
#include <gtest/gtest.h>
#include <posenc/grid.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "tests/golden_files.h"

namespace posenc {
namespace {

using nlohmann::json;
using test::GoldenArray;

const json& index() {
  static const json value = test::golden_index("encodings");
  return value;
}

std::string text(const json& entry, const char* key) { return entry.at(key).get<std::string>(); }

GoldenArray read(const json& entry) { return test::read_golden("encodings", entry); }

// The file of a set that holds `what`: the original's, or the exact one.
const json& file_of(const std::string& set, std::string_view what, bool is_exact) {
  for (const json& entry : index().at("files")) {
    if (text(entry, "set") == set && (text(entry, "recipe") == "exact") == is_exact && text(entry, "holds") == what) {
      return entry;
    }
  }
  throw std::runtime_error("no file of " + set);
}

// The one-axis rows whose ladder a file states: half of the width for a grid.
SinusoidRows axis_rows(const Convention& convention, std::int64_t dim, const Recipe& recipe) {
  if (const auto* cells = std::get_if<Grid>(&convention)) {
    return {Sinusoid{cells->ladder, cells->layout, OddWidth::refused}, dim / 2, recipe};
  }
  return {convention, dim, recipe};
}

// The convention on another ladder. Timesteps have none of their own: the sinusoid that puts its waves in their places.
Convention with_ladder(const Convention& convention, const Ladder& ladder) {
  if (const auto* step = std::get_if<Timestep>(&convention))
    return Sinusoid{ladder, step->layout, OddWidth::zero_column};
  if (const auto* cells = std::get_if<Grid>(&convention)) return Grid{ladder, cells->layout, cells->axis_order};
  const auto& row = std::get<Sinusoid>(convention);
  return Sinusoid{ladder, row.layout, row.odd_width};
}

// The table of a file's width and positions; integers as int64, others as doubles.
template <class T>
std::vector<T> table_of(const Convention& convention, const json& entry, const Recipe& recipe) {
  const auto shape = entry.at("shape").get<std::vector<std::int64_t>>();
  const auto dim = entry.at("dim").get<std::int64_t>();
  std::vector<T> out(static_cast<std::size_t>(shape[0] * shape[1]));
  if (entry.contains("grid")) {
    const auto size = entry.at("grid").get<std::vector<std::int64_t>>();
    grid(convention, view(out.data(), {size[0], size[1], dim}), recipe);
    return out;
  }
  const SinusoidRows rows(convention, dim, recipe);
  const View to = view(out.data(), {shape[0], shape[1]});
  const json& positions = entry.at("positions");
  if (std::all_of(positions.begin(), positions.end(), [](const json& p) { return p.is_number_integer(); })) {
    const auto integers = positions.get<std::vector<std::int64_t>>();
    rows.write(Positions::list(view(integers.data(), {shape[0]})), to);
  } else {
    const auto reals = positions.get<std::vector<double>>();
    rows.write(Positions::list(view(reals.data(), {shape[0]})), to);
  }
  return out;
}

template <class Function>
void with_type(DType type, const Function& function) {
  if (type == DType::f32) return function(float{});
  if (type == DType::f64) return function(double{});
  if (type == DType::f16) return function(half{});
  ASSERT_EQ(type, DType::bf16);
  function(bfloat16{});
}

template <class T>
double widened(T value) {
  if constexpr (std::is_same_v<T, double>) return value;
  return static_cast<double>(static_cast<float>(value));
}

template <class T>
T narrowed(double value) {
  if constexpr (std::is_same_v<T, double>) return value;
  return T(static_cast<float>(value));
}

// ---- distances in last places -------------------------------------------------------------------

// Patterns in the order of the numbers; +0 and -0 are one.
template <class Signed, class T>
std::int64_t ordered(T value) {
  const auto pattern = std::bit_cast<Signed>(value);
  return pattern < 0 ? std::int64_t{std::numeric_limits<Signed>::min()} - pattern : pattern;
}

template <class T>
std::int64_t ulps(T a, T b) {
  using Signed =
      std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  return std::abs(ordered<Signed>(a) - ordered<Signed>(b));
}

struct Distance {
  std::int64_t entries = 0, differing = 0, most = 0;

  template <class T>
  void add(T a, T b) {
    const std::int64_t distance = ulps(a, b);
    ++entries;
    differing += distance != 0;
    most = std::max(most, distance);
  }
  template <class T>
  void add(std::span<const T> a, const std::vector<T>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) add(a[i], b[i]);
  }
};

TEST(Distance, CountsLastPlacesAcrossZeroAndPowersOfTwo) {
  EXPECT_EQ(ulps(1.0f, std::nextafter(1.0f, 0.0f)), 1);
  EXPECT_EQ(ulps(0x1p-149f, -0x1p-149f), 2);
  EXPECT_EQ(ulps(0.0, -0.0), 0);
  EXPECT_EQ(ulps(half::from_bits(0x3C00), half::from_bits(0x3C03)), 3);
  Distance distance;
  distance.add(std::span<const double>(std::vector{1.0, 2.0}), std::vector{1.0, 2 + 0x1p-50});
  EXPECT_EQ(distance.entries, 2);
  EXPECT_EQ(distance.differing, 1);
  EXPECT_EQ(distance.most, 2);
}

// ---- originals ----------------------------------------------------------------------------------

// The committed files of one original, as docs/goldens.md counts them: a second program found the same numbers.
struct Stored {
  std::string_view preset, recipe;
  int tables;
  std::int64_t ladder_differing, ladder_entries, table_differing, table_entries;
};

constexpr Stored stored[] = {
    {"opennmt", "f32-exp", 6, 3, 302, 201, 5336},
    {"pytorch-divide", "f32-divide", 6, 1, 302, 216, 5336},
    {"pytorch", "f32-exp", 6, 3, 302, 201, 5336},
    {"tf-official", "f32-exp-graph", 6, 5, 304, 203, 5600},
    {"tensor2tensor", "f32-exp-graph", 8, 6, 334, 214, 6090},
    {"mae-1d", "f64", 5, 1, 295, 3, 5598},
    {"tf-tutorial", "f64-to-f32", 7, 1, 307, 0, 5803},
    {"mae-2d", "f64", 7, 1, 154, 0, 3312},
    {"whisper", "f64-to-f16", 5, 1, 486, 0, 8156},
    {"whisper", "f32-exp", 5, 8, 486, 320, 8156},
    {"diffusers-timestep", "f32-exp-quotient", 7, 7, 488, 577, 14604},
    {"ddpm", "f32-exp", 6, 5, 360, 355, 8856},
};

class Original : public testing::TestWithParam<Stored> {
 protected:
  // Every set with a table of this original.
  static std::vector<std::string> sets() {
    std::vector<std::string> names;
    for (const json& entry : index().at("files")) {
      if (text(entry, "preset") == GetParam().preset && text(entry, "recipe") == GetParam().recipe &&
          text(entry, "holds") == "table") {
        names.push_back(text(entry, "set"));
      }
    }
    return names;
  }
  static bool divides() { return GetParam().recipe == "f32-divide"; }
  static const json& ladder_file(const std::string& set) {
    return file_of(set, divides() ? "divisors" : "ladder", false);
  }
};

TEST_P(Original, LadderIsWithinOneLastPlaceAndSoManyEntriesDiffer) {
  Distance distance;
  for (const std::string& set : sets()) {
    const json& entry = ladder_file(set);
    const GoldenArray original = read(entry);
    const std::vector<double> ours =
        axis_rows(preset(GetParam().preset).convention, entry.at("dim").get<std::int64_t>(), recipe(GetParam().recipe))
            .frequencies();
    with_type(original.dtype, [&]<class T>(T) {
      std::vector<T> own;  // of the original's type; a divisor is what 1 / w_k was made of
      for (const double w : ours) own.push_back(narrowed<T>(divides() ? 1 / w : w));
      distance.add(original.values<T>(), own);
    });
  }
  EXPECT_EQ(distance.entries, GetParam().ladder_entries);
  EXPECT_EQ(distance.differing, GetParam().ladder_differing);
  EXPECT_EQ(distance.most, 1);
}

TEST_P(Original, TableOfItsOwnLadderIsWithinOneLastPlaceAndSoManyEntriesDiffer) {
  Distance distance;
  for (const std::string& set : sets()) {
    Listed listed;
    const GoldenArray ladder = read(ladder_file(set));
    with_type(ladder.dtype, [&]<class T>(T) {
      for (const T w : ladder.values<T>()) {
        listed.frequencies.push_back(divides() ? 1 / widened(w) : widened(w));
      }
    });
    const Convention convention = with_ladder(preset(GetParam().preset).convention, listed);
    const json& entry = file_of(set, "table", false);
    const GoldenArray original = read(entry);
    with_type(original.dtype, [&]<class T>(T) {
      distance.add(original.values<T>(), table_of<T>(convention, entry, recipe(GetParam().recipe)));
    });
  }
  EXPECT_EQ(distance.entries, GetParam().table_entries);
  EXPECT_EQ(distance.differing, GetParam().table_differing);
  EXPECT_LE(distance.most, 1);
  EXPECT_LE(distance.differing * 20, distance.entries) << "more than 5 % of the entries differ";
}

TEST_P(Original, HasAsManyTablesAsTheDocumentCounts) {
  EXPECT_EQ(sets().size(), static_cast<std::size_t>(GetParam().tables));
}

INSTANTIATE_TEST_SUITE_P(, Original, testing::ValuesIn(stored), [](const auto& test) {
  std::string name = std::string(test.param.preset) + "_by_" + std::string(test.param.recipe);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Rotations and biases have goldens of their own, rotary_goldens_test.cc and bias_goldens_test.cc.
bool has_table(const Preset& preset) {
  return !std::holds_alternative<Rotary>(preset.convention) && !std::holds_alternative<Bias>(preset.convention);
}
std::size_t presets_with_tables() {
  return static_cast<std::size_t>(std::count_if(presets().begin(), presets().end(), has_table));
}

TEST(Goldens, EveryPresetHasItsOriginalChecked) {
  for (const Preset& preset : presets()) {
    if (preset.original.exact() || !has_table(preset)) continue;
    EXPECT_TRUE(std::any_of(std::begin(stored), std::end(stored), [&](const Stored& row) {
      return row.preset == preset.name && row.recipe == preset.original.name;
    })) << preset.name;
  }
}

// ---- exact --------------------------------------------------------------------------------------

TEST(Goldens, ExactLaddersAreEqualToTheBit) {
  std::set<std::string> seen;
  for (const json& entry : index().at("files")) {
    if (text(entry, "recipe") != "exact" || text(entry, "holds") != "ladder") continue;
    SCOPED_TRACE(text(entry, "file"));
    const SinusoidRows rows =
        axis_rows(preset(text(entry, "preset")).convention, entry.at("dim").get<std::int64_t>(), exact());
    const GoldenArray golden = read(entry);
    const std::span<const double> values = golden.values<double>();
    EXPECT_EQ(rows.frequencies(), std::vector(values.begin(), values.end()));
    seen.insert(text(entry, "preset"));
  }
  EXPECT_EQ(seen.size(), presets_with_tables());
}

TEST(Goldens, ExactTablesAreEqualToTheBitInEveryType) {
  std::set<std::string> seen;
  std::set<DType> types;
  for (const json& entry : index().at("files")) {
    if (text(entry, "recipe") != "exact" || text(entry, "holds") != "table") continue;
    SCOPED_TRACE(text(entry, "file"));
    const GoldenArray golden = read(entry);
    with_type(golden.dtype, [&]<class T>(T) {
      const std::vector<T> table = table_of<T>(preset(text(entry, "preset")).convention, entry, exact());
      const std::span<const T> values = golden.values<T>();
      EXPECT_TRUE(std::equal(values.begin(), values.end(), table.begin(), table.end(),
                             [](T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }));
    });
    seen.insert(text(entry, "preset"));
    types.insert(golden.dtype);
  }
  EXPECT_EQ(seen.size(), presets_with_tables());
  EXPECT_EQ(types.size(), 4u);
}

// Rows that another program printed. A stored row is its convention's row times `factor`.
TEST(Goldens, PrintedRowsOfSevenConventionsAreEqualToTheBit) {
  const std::map<std::string, Spacing> spacings = {{"over_width", Spacing::over_width},
                                                   {"over_gaps", Spacing::over_gaps}};
  const std::map<std::string, Layout> layouts = {
      {"interleaved", Layout::interleaved}, {"sine_first", Layout::sine_first}, {"cosine_first", Layout::cosine_first}};
  for (const json& row : index().at("golden_rows")) {
    SCOPED_TRACE(text(row, "name"));
    const Sinusoid convention = {Geometric{10000, 1, spacings.at(text(row, "spacing"))},
                                 layouts.at(text(row, "layout")), OddWidth::refused};
    std::vector<float> ours(row.at("dim").get<std::size_t>()), printed;
    sinusoid(convention, Positions::at(row.at("position").get<std::int64_t>()),
             view(ours.data(), {1, std::ssize(ours)}));
    for (float& value : ours) value *= row.at("factor").get<float>();  // a power of two: exact
    for (const json& digits : row.at("f32")) printed.push_back(std::stof(digits.get<std::string>()));
    EXPECT_EQ(ours, printed);
  }
  EXPECT_EQ(index().at("golden_rows").size(), 7u);
}

}  // namespace
}  // namespace posenc
