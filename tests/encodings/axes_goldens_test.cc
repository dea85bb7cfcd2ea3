// SPDX-License-Identifier: Apache-2.0
// Every file of tests/goldens that holds rotations at the coordinates of places, against the formula and the library.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>

#include <algorithm>
#include <cmath>

#include "tests/encodings/plain.h"
#include "tests/golden_files.h"

namespace posenc {
namespace {

// q [1, heads, P, head] at places [P, axes], before and after; cosine and sine [P, n] of each pair by the original,
// where a pair has one angle, and correctly rounded.
struct PlacesCase {
  const test::GoldenFile& file;
  const test::GoldenArray &coordinates = tensor("coordinates"), &in = tensor("in"), &out = tensor("out");

  const test::GoldenArray& tensor(const std::string& holds) const { return file["places/" + holds]; }
  const Preset& preset() const { return posenc::preset(file.metadata("preset")); }
  const Rotary& rotary() const { return std::get<Rotary>(preset().convention); }
  bool has_one_angle() const {
    return rotary().angles == AnglesBy::pair && std::holds_alternative<Nothing>(rotary().decay);
  }
  Context context() const {
    const std::string centre = file.metadata("centre");
    return centre.empty() ? Context() : Context{.centre = std::stod(centre)};
  }
  std::int64_t head() const { return in.shape.at(3); }
  std::size_t places() const { return static_cast<std::size_t>(coordinates.shape.at(0)); }
  std::size_t axes() const { return static_cast<std::size_t>(coordinates.shape.at(1)); }
  // A list for each axis: the columns of the coordinates.
  std::vector<Positions> lists() const {
    std::vector<Positions> all;
    const double* first = coordinates.values<double>().data();
    const auto rows = std::ssize(coordinates.values<double>()) / static_cast<std::int64_t>(axes());
    for (std::size_t a = 0; a < axes(); ++a) {
      const ConstView column = {first + a, DType::f64, 1, {rows}, {static_cast<std::int64_t>(axes())}};
      all.push_back(Positions::list(column));
    }
    return all;
  }
  Convention stored(StoredAs form) const {
    Rotary with_form = rotary();
    with_form.stored = form;
    return with_form;
  }
};

template <class Check>
void for_each_places(const Check& check) {
  for (const std::string& name : test::golden_names("axes")) {
    const test::GoldenFile file(name);
    SCOPED_TRACE(name);
    check(PlacesCase{file});
  }
}

// [P, n] of cosines, then of sines.
std::vector<std::vector<float>> tables_of(const PlacesCase& of, const Recipe& recipe) {
  const RotaryCache cache(of.stored(StoredAs::halves_twice), of.head(), {.recipe = recipe});
  std::vector<std::vector<float>> both;
  for (const char* name : {"cos", "sin"}) {
    const auto rows = static_cast<std::int64_t>(of.places());
    std::vector<float> twice(of.places() * static_cast<std::size_t>(cache.width())), once;
    cache.write(name, of.lists(), view(twice.data(), {rows, cache.width()}));
    const auto n = static_cast<std::ptrdiff_t>(cache.width() / 2);
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
      const auto begin = twice.begin() + row * 2 * n;
      once.insert(once.end(), begin, begin + n);
    }
    both.push_back(std::move(once));
  }
  return both;
}

std::vector<float> all_of(const test::GoldenArray& array) {
  return {array.values<float>().begin(), array.values<float>().end()};
}

// Those of queries, or of keys, under a decay: what becomes of pairs (1, 0). [P, n] of cosines, then of sines.
std::vector<std::vector<float>> decayed_of(const PlacesCase& of, const Recipe& recipe, RotatedSide side) {
  Rotary adjacent = of.rotary();
  adjacent.pairing = Pairing::adjacent;
  const auto rows = static_cast<std::int64_t>(of.places());
  std::vector<float> pairs(of.places() * static_cast<std::size_t>(of.head()), 0.0f);
  for (std::size_t i = 0; i < pairs.size(); i += 2) pairs[i] = 1;
  const Rotated one[] = {{view(pairs.data(), {rows, of.head()}), side}};
  RotaryRows(adjacent, of.head(), {.recipe = recipe, .context = of.context()}).rotate(of.lists(), one);
  std::vector<std::vector<float>> both(2);
  for (std::size_t i = 0; i < pairs.size(); ++i) both[i % 2].push_back(pairs[i]);
  return both;
}

// |x_a w| of the angle of each pair, at each place: the bound of its roundings.
std::vector<double> angle_sizes(const PlacesCase& of) {
  const RotaryCache cache(of.stored(StoredAs::angles_twice), of.head());
  std::vector<double> twice(of.places() * static_cast<std::size_t>(cache.width())), once;
  const auto rows = static_cast<std::int64_t>(of.places());
  cache.write("angles", of.lists(), view(twice.data(), {rows, cache.width()}));
  for (std::size_t i = 0; i < twice.size(); ++i) {
    const auto width = static_cast<std::size_t>(cache.width());
    if (i % width < width / 2) once.push_back(std::abs(twice[i]));
  }
  return once;
}

double fastest_of(const PlacesCase& of) {
  if (!of.has_one_angle()) return 1;
  return std::ranges::max(RotaryCache(of.stored(StoredAs::complex), of.head()).frequencies());
}

std::vector<float> turned_by_library(const PlacesCase& of, const Recipe& recipe) {
  std::vector<float> out(of.in.values<float>().size());
  const Rotated one[] = {{of.in.view(), view(out.data(), {1, of.in.shape[1], of.in.shape[2], of.in.shape[3]}),
                          RotatedSide::query, TokenAxis::before_columns}};
  RotaryRows(of.preset().convention, of.head(), {.recipe = recipe, .context = of.context()}).rotate(of.lists(), one);
  return out;
}

TEST(AxesGoldens, AreExactWhereTheScriptIs) {
  for_each_places([](const PlacesCase& golden) {
    if (!golden.has_one_angle()) return;
    const std::vector<std::vector<float>> ours = tables_of(golden, exact());
    EXPECT_EQ(ours[0], all_of(golden.tensor("exact_cosine")));
    EXPECT_EQ(ours[1], all_of(golden.tensor("exact_sine")));
  });
}

// Under its recipe an angle has the original's roundings, but where a power of PyTorch is a last place off: then it is
// 2^-23 of itself away. Where there is no recipe, each of frequency, unit, coordinate and product is rounded: 2^-21.
TEST(AxesGoldens, FollowTheRecipeOfTheOriginal) {
  for_each_places([](const PlacesCase& golden) {
    if (!golden.has_one_angle()) return;
    const Recipe& recipe = golden.preset().original;
    const std::vector<std::vector<float>> ours = tables_of(golden, recipe);
    const std::vector<double> angles = angle_sizes(golden);
    const std::vector<float> theirs[] = {all_of(golden.tensor("cosine")), all_of(golden.tensor("sine"))};
    std::size_t equal = 0;
    for (std::size_t which : {0u, 1u}) {
      for (std::size_t i = 0; i < angles.size(); ++i) {
        const double bound = (recipe.exact() ? 0x1p-21 : 0x1p-23) * angles[i] + 0x1p-24;
        ASSERT_LE(std::abs(ours[which][i] - theirs[which][i]), bound) << i;
        equal += ours[which][i] == theirs[which][i];
      }
    }
    if (!recipe.exact()) {
      EXPECT_GT(equal, 2 * angles.size() * 9 / 10);
    }
  });
}

template <class Check>
void for_each_decay(const Check& check) {
  int files = 0;
  for_each_places([&](const PlacesCase& golden) {
    if (std::holds_alternative<Nothing>(golden.rotary().decay)) return;
    ++files;
    check(golden, RotatedSide::query, "");
    check(golden, RotatedSide::key, "key_");
  });
  EXPECT_GE(files, 2);
}

TEST(DecayGoldens, AreExactWhereTheScriptIs) {
  for_each_decay([](const PlacesCase& golden, RotatedSide side, const std::string& of) {
    const std::vector<std::vector<float>> ours = decayed_of(golden, exact(), side);
    EXPECT_EQ(ours[0], all_of(golden.tensor("exact_" + of + "cosine")));
    EXPECT_EQ(ours[1], all_of(golden.tensor("exact_" + of + "sine")));
  });
}

// PyTorch's sines and powers are off by a last place here and there, as its powers of the ladder are: the factor's
// exponent is 50 / 512 at most, so that both are below 1.1.
TEST(DecayGoldens, FollowTheRecipeOfTheOriginal) {
  for_each_decay([](const PlacesCase& golden, RotatedSide side, const std::string& of) {
    ASSERT_FALSE(golden.preset().original.exact());
    const std::vector<std::vector<float>> ours = decayed_of(golden, golden.preset().original, side);
    const std::vector<float> theirs[] = {all_of(golden.tensor(of + "cosine")), all_of(golden.tensor(of + "sine"))};
    std::size_t equal = 0;
    for (std::size_t which : {0u, 1u}) {
      for (std::size_t i = 0; i < ours[which].size(); ++i) {
        const auto p = static_cast<float>(i / static_cast<std::size_t>(golden.head() / 2));
        ASSERT_LE(std::abs(ours[which][i] - theirs[which][i]), 0x1p-23f * (p + 1)) << i;
        equal += ours[which][i] == theirs[which][i];
      }
    }
    EXPECT_GT(equal, 2 * ours[0].size() * 9 / 10);
  });
}

// An angle that is off turns a pair by as much; products and sums are rounded on both sides.
TEST(AxesGoldens, TurnTheColumnsThatTheOriginalTurns) {
  for_each_places([](const PlacesCase& golden) {
    const Recipe& recipe = golden.preset().original;
    const std::vector<float> ours = turned_by_library(golden, recipe), theirs = all_of(golden.out);
    const auto places = golden.coordinates.values<double>();
    const auto head = static_cast<std::size_t>(golden.head());
    const double fastest = fastest_of(golden);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const std::size_t place = i / head % golden.places();
      double most = 0;
      for (std::size_t a = 0; a < golden.axes(); ++a)
        most = std::max(most, std::abs(places[place * golden.axes() + a]));
      ASSERT_LE(std::abs(ours[i] - theirs[i]), 8 * (0x1p-21 * fastest * most + 4 * 0x1p-24)) << i;
    }
  });
}

}  // namespace
}  // namespace posenc
