// SPDX-License-Identifier: Apache-2.0
// Tables of images resized: against the originals, against formulas at every size, in every memory; what is refused.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/resize.h>

#include <cmath>
#include <map>

#include "src/conventions/lower.h"
#include "tests/encodings/element_types.h"
#include "tests/encodings/field.h"
#include "tests/encodings/last_places.h"
#include "tests/encodings/named.h"
#include "tests/encodings/resized_rows.h"
#include "tests/encodings/said.h"
#include "tests/golden_files.h"

namespace posenc {
namespace {

using test::cell_rows;
using test::Field;
using test::Memory;
using test::resized;
using test::said;

constexpr std::int64_t columns = test::cell_columns;

// ---- originals ---------------------------------------------------------------------------------------------------

// The sum of |weight times row| for an entry, and how many weights the axes have.
struct Reach {
  double magnitude;
  std::int64_t weights;
};
Reach reach_of(const std::vector<float>& table, std::int64_t before, std::int64_t width, const plan::Taps& down,
               const plan::Taps& across, std::int64_t column) {
  double sum = 0;
  for (const plan::Tap& y : down) {
    for (const plan::Tap& x : across) {
      const std::int64_t row = before + y.cell * width + x.cell;
      sum += std::abs(y.weight * x.weight * double(table[std::size_t(row * columns + column)]));
    }
  }
  return {sum, std::ssize(down) + std::ssize(across)};
}

GridSize size_of_tensor(const test::GoldenFile& file, const std::string& tensor) {
  const auto sides = file[tensor].values<std::int64_t>();
  return {sides[0], sides[1]};
}

struct Apart {
  std::int64_t most = 0, equal = 0, entries = 0;  // last places, of the column that nothing cancels in
};

Apart compare(const test::GoldenFile& file, const std::string& of_case) {
  const Convention& convention = preset(file.metadata("preset")).convention;
  const GridSize from = size_of_tensor(file, of_case + "/from"), to = size_of_tensor(file, of_case + "/to");
  const std::vector<float> table = cell_rows(table_rows(convention, from)), ours = resized(convention, table, from, to);
  const auto wanted = file[of_case + "/rows"].values<float>();
  EXPECT_EQ(ours.size(), wanted.size());
  const plan::TapPlan down = lower_taps(convention, from.height, to.height);
  const plan::TapPlan across = lower_taps(convention, from.width, to.width);
  const std::int64_t before = lower_kept_rows(convention).before;
  Apart apart;
  for (std::int64_t i = 0; i < std::ssize(ours); ++i) {
    const std::int64_t cell = i / columns - before;
    const float our = ours[static_cast<std::size_t>(i)], their = wanted[static_cast<std::size_t>(i)];
    if (cell < 0 || cell >= to.height * to.width) {
      EXPECT_EQ(our, their) << "kept row, entry " << i;
      continue;
    }
    const Reach reach = reach_of(table, before, from.width, down.places[static_cast<std::size_t>(cell / to.width)],
                                 across.places[static_cast<std::size_t>(cell % to.width)], i % columns);
    EXPECT_LE(std::abs(double(our) - double(their)), double(2 * (reach.weights + 1)) * 0x1p-24 * reach.magnitude)
        << of_case << ", entry " << i;
    const std::int64_t places = test::last_places(our, their);
    ++apart.entries, apart.equal += places == 0;
    if (i % columns == 2) apart.most = std::max(apart.most, places);
  }
  return apart;
}

TEST(ResizeTable, IsThatOfTheOriginal) {
  const std::vector<std::string> names = test::golden_names("resized");
  EXPECT_GE(names.size(), 7u);
  for (const std::string& name : names) {
    const test::GoldenFile file(name);
    for (const std::string& of_case : file.cases()) {
      SCOPED_TRACE(name + ", " + of_case);
      const Apart apart = compare(file, of_case);
      EXPECT_LE(apart.most, 4);
      RecordProperty(name + of_case, std::to_string(apart.equal) + " of " + std::to_string(apart.entries));
    }
  }
}

// ---- formulas at every size --------------------------------------------------------------------------------------

long double keys_cubic(long double a, long double x) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}
long double triangle(long double x) { return std::max(0.0L, 1 - std::abs(x)); }

struct Formula {
  std::string_view filter;
  long double a;
  bool stretched, ends;

  long double at(long double x) const { return filter == "bicubic" ? keys_cubic(a, x) : triangle(x); }
  std::int64_t half() const { return filter == "bicubic" ? 2 : 1; }
};

Convention convention_of(const Formula& formula, std::string_view weights) {
  std::vector<FieldChange> changes = {{"resize.filter", formula.filter},
                                      {"resize.antialias", formula.stretched ? "stretched" : "none"},
                                      {"resize.align_corners", formula.ends ? "ends" : "halves"},
                                      {"resize.arithmetic", weights}};
  if (formula.filter == "bicubic") {
    changes.insert(changes.begin() + 1, {"resize.filter.a", static_cast<double>(formula.a)});
  }
  return with_fields(test::named("vit-resize"), changes);
}

// The weights of all n cells for place i of m.
std::vector<long double> weights_of(const Formula& by, std::int64_t i, std::int64_t n, std::int64_t m) {
  std::vector<long double> weights(static_cast<std::size_t>(n));
  const long double step =
      by.ends ? (m > 1 ? (long double)(n - 1) / (long double)(m - 1) : 0) : (long double)n / (long double)m;
  if (by.stretched) {
    const long double stretch = std::max(1.0L, step), centre = step * ((long double)i + 0.5L);
    long double total = 0;
    for (std::int64_t j = 0; j < n; ++j)
      total += weights[std::size_t(j)] = by.at(((long double)j + 0.5L - centre) / stretch);
    for (long double& weight : weights) weight = total == 0 ? weight : weight / total;
    return weights;
  }
  long double place = by.ends ? step * (long double)i : step * ((long double)i + 0.5L) - 0.5L;
  if (by.filter == "bilinear") place = std::max(place, 0.0L);
  const std::int64_t left = static_cast<std::int64_t>(std::floor(place));
  for (std::int64_t j = left - by.half() + 1; j <= left + by.half(); ++j) {
    weights[std::size_t(std::clamp(j, std::int64_t{0}, n - 1))] += by.at(place - (long double)j);
  }
  return weights;
}

// A cubic is at most 2.1 steep, f32 places at most 200 (2^-23 + 2^-24) off, and a place on the other side of a cell has
// nearly the same weights.
constexpr double close_of_f32 = 1e-4, close_of_f64 = 1e-12;

void expect_formula(const Formula& formula, std::int64_t n, std::int64_t m) {
  for (const auto& [word, close] : {std::pair("f32", close_of_f32), std::pair("f64", close_of_f64)}) {
    static std::map<std::string, Convention> made;
    const std::string key = std::string(formula.filter) + word + std::to_string(formula.stretched + 2 * formula.ends) +
                            std::to_string(double(formula.a));
    if (!made.contains(key)) made.emplace(key, convention_of(formula, word));
    const plan::TapPlan plan = lower_taps(made.at(key), n, m);
    ASSERT_EQ(std::ssize(plan.places), m);
    for (std::int64_t i = 0; i < m; ++i) {
      std::vector<long double> off = weights_of(formula, i, n, m);
      for (const plan::Tap& tap : plan.places[std::size_t(i)]) {
        ASSERT_TRUE(tap.cell >= 0 && tap.cell < n);
        off[std::size_t(tap.cell)] -= tap.weight;
      }
      for (const long double each : off) {
        ASSERT_LE(std::abs(each), close) << key << ", " << n << " to " << m << ", " << i;
      }
    }
  }
}

constexpr Formula formulas[] = {{"bicubic", -0.75L, false, false}, {"bicubic", -0.75L, false, true},
                                {"bicubic", -0.5L, true, false},   {"bicubic", -0.5L, true, true},
                                {"bilinear", 0, false, false},     {"bilinear", 0, false, true},
                                {"bilinear", 0, true, false},      {"bilinear", 0, true, true}};

TEST(ResizeTable, HasTheWeightsOfItsFormulaAtEverySize) {
  for (const Formula& formula : formulas) {
    for (std::int64_t side = 1; side <= 200; ++side) {
      for (const std::int64_t other : {1, 2, 13, 24, 37, 200}) {
        ASSERT_NO_FATAL_FAILURE(expect_formula(formula, side, other));
        ASSERT_NO_FATAL_FAILURE(expect_formula(formula, other, side));
      }
    }
  }
}

// With an offset PyTorch is given the factor (m + offset) / n, and takes its reciprocal: two roundings, where n / (m +
// offset) has one. No f32 tells them apart at any sides, so the weights are those of f64.
TEST(ResizeTable, WithAnOffsetStepsByTheReciprocalOfAFactor) {
  const Convention convention =
      with_fields(test::named("dino-resize"), {{{"resize.filter", "bilinear"}, {"resize.arithmetic", "f64"}}});
  int told_apart = 0;
  for (std::int64_t n = 1; n <= 30; ++n) {
    for (std::int64_t m = 1; m <= 30; ++m) {
      if (m == n) continue;
      const auto cells = static_cast<double>(n), places = static_cast<double>(m) + 0.1;
      const double factor = places / cells, step = 1 / factor;
      told_apart += step != cells / places;
      const plan::TapPlan plan = lower_taps(convention, n, m);
      for (std::int64_t i = 0; i < m; ++i) {
        const double place = std::max(std::fma(step, static_cast<double>(i) + 0.5, -0.5), 0.0);
        const auto left = std::min(static_cast<std::int64_t>(place), n - 1);
        const double right = std::min(place - static_cast<double>(left), 1.0);
        const plan::Taps& taps = plan.places[static_cast<std::size_t>(i)];
        ASSERT_EQ(std::ssize(taps), 2);
        EXPECT_EQ(taps[0].cell, left);
        EXPECT_EQ(taps[0].weight, 1 - right) << n << " to " << m << ", " << i;
        EXPECT_EQ(taps[1].weight, right) << n << " to " << m << ", " << i;
      }
    }
  }
  EXPECT_GT(told_apart, 50);
}

TEST(ResizeTable, OfAnAreaIsAMeanAndOfTheNearestACell) {
  const Convention area = with_field(test::named("vit-resize"), "resize.filter", "area");
  const Convention nearest = with_field(test::named("vit-resize"), "resize.filter", "nearest");
  for (std::int64_t n = 1; n <= 200; ++n) {
    for (std::int64_t m = 1; m <= 200; ++m) {
      const plan::TapPlan means = lower_taps(area, n, m), cells = lower_taps(nearest, n, m);
      for (std::int64_t i = 0; i < m; ++i) {
        const plan::Taps& mean = means.places[std::size_t(i)];
        const std::int64_t first = mean.front().cell, last = mean.back().cell;
        ASSERT_TRUE(first * m <= i * n && (first + 1) * m > i * n && last - first + 1 == std::ssize(mean));
        ASSERT_TRUE(last * m < (i + 1) * n && (last + 1) * m >= (i + 1) * n && last < n);
        for (const plan::Tap& tap : mean) ASSERT_EQ(tap.weight, 1.0 / double(mean.size()));
        const plan::Taps& cell = cells.places[std::size_t(i)];
        ASSERT_EQ(cell.size(), 1u);
        ASSERT_EQ(cell[0].weight, 1.0);
        ASSERT_NEAR(double(cell[0].cell), std::floor(double(i) * double(n) / double(m)), i * n % m == 0 ? 1 : 0);
      }
    }
  }
}

// ---- fields ------------------------------------------------------------------------------------------------------

TEST(ResizeTable, PlacesPastTheLastCellAreZerosWhereTheOriginalHasThem) {
  const Convention& zoomed = test::named("bigvision-resize");
  std::int64_t pairs = 0;
  for (std::int64_t n = 1; n <= 200; ++n) {
    for (std::int64_t m = 1; m <= 200; ++m) pairs += lower_taps(zoomed, n, m).places.back().empty() ? 1 : 0;
  }
  EXPECT_EQ(pairs, 1265);  // of 40000, counted in SciPy 1.17.0
  const std::vector<float> ones(8, 1.0f);
  EXPECT_EQ(resized(zoomed, ones, {8, 1}, {26, 1}).back(), 0.0f);
  EXPECT_EQ(resized(with_field(zoomed, "resize.past_edge", "clamp"), ones, {8, 1}, {26, 1}).back(), 1.0f);
}

TEST(ResizeTable, OfTheSameSizeIsTheTable) {
  for (const char* name : {"vit-resize", "dino-resize", "timm-resize", "beit-resize", "bigvision-resize"}) {
    const Convention& convention = test::named(name);
    const std::vector<float> table = cell_rows(table_rows(convention, {7, 9}));
    EXPECT_EQ(resized(convention, table, {7, 9}, {7, 9}), table);
  }
}

TEST(ResizeTable, KeepsExtraRowsAtTheirEnd) {
  const std::vector<float> table = {9, 1, 2, 3, 4}, last = {1, 2, 3, 4, 9};
  const Convention first = test::named("vit-resize"), behind = with_field(first, "resize.extra_at", "last");
  const std::vector<float> out = resized(first, table, {2, 2}, {3, 1});
  EXPECT_EQ(out.front(), 9.0f);
  EXPECT_EQ(resized(behind, last, {2, 2}, {3, 1}).back(), 9.0f);
  EXPECT_EQ(out[2], resized(behind, last, {2, 2}, {3, 1})[1]);
}

// ---- memory and types --------------------------------------------------------------------------------------------

template <class T>
class ResizeTableTyped : public testing::Test {};
TYPED_TEST_SUITE(ResizeTableTyped, test::RotatedTypes);

TYPED_TEST(ResizeTableTyped, HasOneRoundingInEveryMemory) {
  using T = TypeParam;
  const Convention& convention = test::named("timm-resize");
  const GridSize from = {5, 3}, to = {4, 7};
  for (const std::int64_t width : {0, 1, 67}) {
    std::vector<T> table;
    for (std::int64_t i = 0; i < 16 * width; ++i) table.push_back(T(static_cast<float>(i * 40503 % 1021) / 512 - 1));
    std::vector<float> wide(table.size()), made(static_cast<std::size_t>(29 * width));
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = static_cast<float>(table[i]);
    resize_table(convention, view(std::as_const(wide).data(), {16, width}), from, to, view(made.data(), {29, width}));
    std::vector<T> wanted;
    for (const float value : made) wanted.push_back(T(value));
    for (const Memory memory : test::memories) {
      Field<T> in({16, width}, memory), out({29, width}, memory);
      in.fill(table);
      resize_table(convention, in.view(), from, to, out.view());
      EXPECT_TRUE(test::same_bits(out.values(), wanted));
      EXPECT_TRUE(out.rest_is_untouched());
    }
  }
}

TEST(ResizeTable, OfASquareNeedsNoSize) {
  const Convention& convention = test::named("timm-resize");
  const std::vector<float> table = cell_rows(50);
  std::vector<float> out(13 * columns);
  resize_table(convention, view(table.data(), {50, columns}), {3, 4}, view(out.data(), {13, columns}));
  EXPECT_EQ(out, resized(convention, table, {7, 7}, {3, 4}));
  const ConstView empty = view(table.data(), {0, columns});
  EXPECT_EQ(said(check_resize_table(convention, empty, {3, 4}, view(out.data(), {13, columns}))),
            "[resize_table] from must have sides of 1 to 2^11, got 0 x 0");
  EXPECT_EQ(said(check_resize_table(test::named("learned"), empty, {3, 4}, view(out.data(), {13, columns}))),
            "[resize_table] the convention must be learned, with a resize, as timm-resize is, got learned");
}

TEST(ResizeTable, RefusesWhatBreaksARule) {
  std::vector<float> table(64), out(64);
  std::vector<double> wide(64);
  const auto problem = [&](const Convention& convention, const ConstView& in, const GridSize& from, const GridSize& to,
                           const View& into) { return said(check_resize_table(convention, in, from, to, into)); };
  const Convention& vit = test::named("vit-resize");
  const ConstView five = view(std::as_const(table).data(), {5, 4});
  const View seven = view(out.data(), {7, 4});
  EXPECT_EQ(problem(vit, five, {2, 2}, {2, 3}, seven), "nothing");
  EXPECT_EQ(problem(test::named("learned"), five, {2, 2}, {2, 3}, seven),
            "[resize_table] the convention must be learned, with a resize, as timm-resize is, got learned");
  EXPECT_EQ(problem(vit, five, {0, 2}, {2, 3}, seven), "[resize_table] from must have sides of 1 to 2^11, got 0 x 2");
  EXPECT_EQ(problem(vit, five, {2, 2}, {2, 2049}, seven),
            "[resize_table] to must have sides of 1 to 2^11, got 2 x 2049");
  EXPECT_EQ(problem(vit, five, {2, 2}, {2, 2}, seven),
            "[resize_table] out must have shape [5, d], the rows of 2 x 2 cells and 1 more, got [7, 4]");
  EXPECT_EQ(problem(vit, five, {3, 2}, {2, 3}, seven),
            "[resize_table] table must have shape [7, d], the rows of 3 x 2 cells and 1 more, got [5, 4]");
  EXPECT_EQ(problem(vit, five, {2, 2}, {2, 3}, view(wide.data(), {7, 4})),
            "[resize_table] out must be f32, f16 or bf16, got f64");
  EXPECT_EQ(problem(vit, five, {2, 2}, {2, 3}, view(out.data(), {7, 3})),
            "[resize_table] table must have type and columns of out, f32 [7, 3], got f32 [5, 4]");
  EXPECT_EQ(problem(with_field(vit, "resize.filter", "area"), five, {2, 2}, {2, 3}, seven), "nothing");
}

TEST(ResizeTable, RefusesFieldsThatContradict) {
  const auto refused = [](std::initializer_list<FieldChange> changes) {
    return said(check_changes(test::named("vit-resize"), changes));
  };
  EXPECT_NE(refused({{"resize.filter", "area"}, {"resize.antialias", "stretched"}}).find("antialias must be none"),
            std::string::npos);
  EXPECT_NE(
      refused({{"resize.filter", "nearest"}, {"resize.align_corners", "ends"}}).find("align_corners must be halves"),
      std::string::npos);
  EXPECT_NE(refused({{"resize.offset", 0.1}, {"resize.align_corners", "ends"}}).find("offset must be 0"),
            std::string::npos);
}

}  // namespace
}  // namespace posenc
