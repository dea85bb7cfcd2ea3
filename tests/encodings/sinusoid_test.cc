// SPDX-License-Identifier: Apache-2.0
// Sinusoidal tables and sums: formula, shapes, strides, positions, executors, surroundings.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <numeric>

#include "tests/encodings/element_types.h"
#include "tests/encodings/field.h"
#include "tests/encodings/int64_ends.h"
#include "tests/encodings/plain.h"
#include "tests/encodings/presets.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using test::Field;
using test::highest;
using test::lowest;
using test::Memory;
using test::same_bits;
using test::transformer;

template <class T>
std::vector<T> table(const Rows& rows, const Positions& positions, const Executor& executor = serial) {
  std::vector<T> out(static_cast<std::size_t>(positions.count_ * rows.width()));
  rows.write(positions, view(out.data(), {positions.count_, rows.width()}), executor);
  return out;
}

template <class T>
std::vector<T> table(std::int64_t dim, const Positions& positions, const Recipe& recipe = exact()) {
  return table<T>(Rows(transformer, dim, {.recipe = recipe}), positions);
}

template <class T>
class EveryType : public testing::Test {};
TYPED_TEST_SUITE(EveryType, test::TableTypes);

// Half a last place of numbers in [1/2, 1], and a little for the plain formula.
template <class T>
constexpr double half_a_place = std::is_same_v<T, double>  ? 0x1p-45
                                : std::is_same_v<T, float> ? 0x1.0001p-25
                                : std::is_same_v<T, half>  ? 0x1.0001p-12
                                                           : 0x1.0001p-9;

// ---- the formula --------------------------------------------------------------------------------

TYPED_TEST(EveryType, RowsAreTheFormulaAtWidthsBesideEveryBlock) {
  for (const Layout layout : {Layout::interleaved, Layout::sine_first, Layout::cosine_first}) {
    for (const OddWidth odd : {OddWidth::zero_column, OddWidth::short_row, OddWidth::lone_sine}) {
      const Sinusoid convention = {Geometric{10000, 1, Spacing::over_width}, layout, odd};
      for (const std::int64_t d : {1, 2, 3, 6, 127, 254, 255, 256, 257, 258, 509, 514}) {
        if (check_width(convention, d)) continue;
        const std::vector<TypeParam> row = table<TypeParam>(Rows(convention, d), Positions::at(-1021));
        ASSERT_LE(test::distance(row, test::plain_row(convention, d, -1021)), half_a_place<TypeParam>)
            << to_string(convention) << ", width " << d;
      }
    }
  }
}

TYPED_TEST(EveryType, TablesOfAnyLengthAreRowsOfOnePosition) {
  const Rows rows(transformer, 38);
  for (const std::int64_t length : {0, 1, 2, 63, 64, 65, 127, 131}) {
    const std::vector<TypeParam> all = table<TypeParam>(rows, Positions::range(11, length, 7));
    for (std::int64_t t = 0; t < length; ++t) {
      const std::vector<TypeParam> row = table<TypeParam>(rows, Positions::at(11 + 7 * t));
      ASSERT_TRUE(same_bits(row, std::vector(all.begin() + t * 38, all.begin() + (t + 1) * 38))) << length << " " << t;
    }
  }
}

TYPED_TEST(EveryType, ALoneColumnOfZerosIsWrittenAtAnyLength) {
  const Rows rows(Sinusoid{Geometric{10000, 1, Spacing::over_width}, Layout::sine_first, OddWidth::zero_column}, 1);
  for (const std::int64_t length : {1, 24, 200}) {
    std::vector<TypeParam> out(static_cast<std::size_t>(3 * length), TypeParam(7.0f));
    rows.write(Positions::range(5, length), view(out.data(), {length, 1}));              // next to each other
    rows.write(Positions::range(5, length), view(out.data() + length, {2, length, 1}));  // through a scratch
    EXPECT_TRUE(same_bits(out, std::vector(out.size(), TypeParam(0.0f)))) << length;
  }
}

TYPED_TEST(EveryType, IntegersRealsRangesAndListsOfTheSamePositionsHaveTheSameBits) {
  const std::int64_t m = std::int64_t{1} << 53;
  const std::vector<std::int64_t> integers = {-m, -m + 1, -m + 2};
  const std::vector<double> reals(integers.begin(), integers.end());
  for (const Recipe& recipe : {exact(), posenc::recipe("f32-exp"), posenc::recipe("f64")}) {
    const auto expected = table<TypeParam>(10, Positions::range(-m, 3), recipe);
    EXPECT_TRUE(same_bits(table<TypeParam>(10, Positions::range(-0x1p53, 3), recipe), expected));
    EXPECT_TRUE(same_bits(table<TypeParam>(10, Positions::list(view(integers.data(), {3})), recipe), expected));
    EXPECT_TRUE(same_bits(table<TypeParam>(10, Positions::list(view(reals.data(), {3})), recipe), expected));
  }
}

TYPED_TEST(EveryType, HugePositionsHaveTheRowsOfTheirTable) {
  for (const std::int64_t start : {lowest, highest - 4, std::int64_t{1} << 53, std::int64_t{300'000'000}}) {
    const std::vector<TypeParam> all = table<TypeParam>(64, Positions::range(start, 5));
    for (std::int64_t t = 0; t < 5; ++t) {
      const std::vector<TypeParam> row = table<TypeParam>(64, Positions::at(start + t));
      EXPECT_TRUE(same_bits(row, std::vector(all.begin() + t * 64, all.begin() + (t + 1) * 64))) << start + t;
    }
  }
}

TYPED_TEST(EveryType, OppositePositionsHaveOppositeSinesAndTheSameCosines) {
  const double positions[] = {0.5, 3, 1e-300, 0x1p-1074, 1234567.875, 0x1p53};
  std::vector<double> opposite;
  for (const double p : positions) opposite.push_back(-p);
  for (const Recipe& recipe : {exact(), posenc::recipe("f32-divide"), posenc::recipe("f64-exp")}) {
    const auto rows = table<TypeParam>(6, Positions::list(view(positions, {6})), recipe);
    const auto mirrored = table<TypeParam>(6, Positions::list(view(opposite.data(), {6})), recipe);
    for (std::size_t i = 0; i < rows.size(); ++i) {  // a recipe's angle may round to 0, whose sine is +0
      const auto value = static_cast<float>(rows[i]);
      ASSERT_EQ(static_cast<float>(mirrored[i]), i % 2 == 0 ? -value : value) << recipe.name << " " << i;
    }
  }
}

TEST(Sinusoid, OfASubnormalPositionIsThatPosition) {
  const double tiny[] = {0x1p-1074, -0x1p-1074, 0x1.8p-1060};
  const std::vector<double> rows = table<double>(4, Positions::list(view(tiny, {3})));
  EXPECT_EQ(rows[0], 0x1p-1074);
  EXPECT_EQ(rows[4], -0x1p-1074);
  EXPECT_EQ(rows[8], 0x1.8p-1060);
  EXPECT_EQ(rows[1], 1);
}

TEST(Sinusoid, OfPositionZeroIsPlusZeroAndOne) {
  const double zeros[] = {0.0, -0.0};
  for (const Recipe& recipe : recipes()) {
    const std::vector<float> rows = table<float>(4, Positions::list(view(zeros, {2})), recipe);
    EXPECT_TRUE(same_bits(rows, {0, 1, 0, 1, 0, 1, 0, 1})) << recipe.name;
  }
}

TEST(Rows, KnowTheirWidthAndFrequencies) {
  const Rows rows(preset("tf-official").convention, 9);
  EXPECT_EQ(rows.width(), 8);
  EXPECT_EQ(rows.frequencies().size(), 4u);
  EXPECT_EQ(rows.frequencies().front(), 1);
  EXPECT_EQ(rows.frequencies().back(), 1e-4);
  const Rows copy = rows;
  EXPECT_EQ(&copy.ready(), &rows.ready());
  EXPECT_EQ(Rows(transformer, 8).frequencies(), (std::vector<double>{1, 0.1, 0.01, 0.001}));
  const Rows wide(transformer, 1000);
  EXPECT_EQ(wide.frequencies(test::reversed), wide.frequencies());
  EXPECT_EQ(wide.frequencies(test::two_threads), wide.frequencies());
}

// ---- shapes and strides -----------------------------------------------------------------------------

TYPED_TEST(EveryType, OutputsOfAnyStridesHoldTheTableAndNothingElseChanges) {
  const Rows rows(transformer, 14);
  const Positions positions = Positions::range(-3, 67);
  const std::vector<TypeParam> expected = table<TypeParam>(rows, positions);
  for (const Memory memory : test::memories) {
    Field<TypeParam> out({67, 14}, memory);
    rows.write(positions, out.view());
    EXPECT_TRUE(same_bits(out.values(), expected)) << static_cast<int>(memory);
    EXPECT_TRUE(out.rest_is_untouched()) << static_cast<int>(memory);
  }
}

TYPED_TEST(EveryType, ABatchRepeatsTheTableOfOneListOfPositions) {
  const Rows rows(transformer, 6);
  const std::vector<TypeParam> one = table<TypeParam>(rows, Positions::range(5, 7));
  std::vector<TypeParam> three;
  for (int b = 0; b < 3; ++b) three.insert(three.end(), one.begin(), one.end());
  const std::vector<std::int64_t> list = {5, 6, 7, 8, 9, 10, 11};
  for (const Memory memory : test::memories) {
    Field<TypeParam> of_range({3, 7, 6}, memory), of_repeated({3, 7, 6}, memory);
    rows.write(Positions::range(5, 7), of_range.view());
    rows.write(Positions::list(view(list.data(), {7}).repeated(3)), of_repeated.view());
    EXPECT_TRUE(same_bits(of_range.values(), three));
    EXPECT_TRUE(same_bits(of_repeated.values(), three));
    EXPECT_TRUE(of_range.rest_is_untouched() && of_repeated.rest_is_untouched());
  }
}

TYPED_TEST(EveryType, EverySequenceMayHaveItsOwnPositions) {
  const Rows rows(transformer, 6);
  std::vector<std::int32_t> positions(2 * 65);
  std::iota(positions.begin(), positions.end(), -20);
  const std::vector<TypeParam> expected = table<TypeParam>(rows, Positions::range(-20, 130));
  Field<TypeParam> out({2, 65, 6}, Memory::padded), sequence_first({65, 2, 6}, Memory::dense);
  rows.write(Positions::list(view(positions.data(), {2, 65})), out.view());
  rows.write(Positions::list(view(positions.data(), {2, 65})), sequence_first.view().transposed(0, 1));
  EXPECT_TRUE(same_bits(out.values(), expected));
  EXPECT_TRUE(out.rest_is_untouched());
  const std::vector<TypeParam> swapped = sequence_first.values();
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t t = 0; t < 65; ++t) {
      for (std::size_t c = 0; c < 6; ++c) ASSERT_EQ(swapped[(t * 2 + b) * 6 + c], expected[(b * 65 + t) * 6 + c]);
    }
  }
}

TEST(Sinusoid, OfNoRowsReturnsAtOnceHoweverManyPositions) {
  float* none = nullptr;
  sinusoid(transformer, Positions::range(0, 0), view(none, {0, 8}));
  sinusoid(transformer, Positions::range(0, 0), view(none, {3, 0, 8}));
  sinusoid(transformer, Positions::range(0, highest), view(none, {0, highest, 8}));
  add_sinusoid(transformer, Positions::range(0, highest), view(none, {0, highest, 8}), view(none, {0, highest, 8}));
}

// ---- sums ---------------------------------------------------------------------------------------

// Numbers of every kind: zeros, subnormals, ties, infinities, NaN.
template <class T>
std::vector<T> inputs(std::size_t count) {
  const float kinds[] = {1.0f,  -0.0f,    0.5f,      -3.25f, 0x1p-149f, -0x1p-24f, 65504.0f,
                         1e-5f, INFINITY, -INFINITY, NAN,    0.0f,      -0x1p-9f};
  std::vector<T> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(T(kinds[i % std::size(kinds)] * (i % 3 == 0 ? -1.0f : 1.0f)));
  return values;
}

template <class T>
std::vector<T> plain_sum(const std::vector<T>& in, const std::vector<T>& signal) {
  using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
  std::vector<T> sum;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum.push_back(T(static_cast<C>(in[i]) + static_cast<C>(signal[i % signal.size()])));
  }
  return sum;
}

TYPED_TEST(EveryType, SumsAreThePlainLoopInPlaceAndOutOfPlace) {
  constexpr std::int64_t batch = 3, length = 67, d = 14;
  const Positions positions = Positions::range(1000, length);
  const std::vector<TypeParam> in = inputs<TypeParam>(batch * length * d);
  const std::vector<TypeParam> expected = plain_sum(in, table<TypeParam>(d, positions));
  for (const Memory memory : test::memories) {
    Field<TypeParam> place({batch, length, d}, memory), from({batch, length, d}, Memory::spread);
    Field<TypeParam> out({batch, length, d}, memory);
    place.fill(in);
    from.fill(in);
    add_sinusoid(transformer, positions, place.view(), place.view());
    add_sinusoid(transformer, positions, from.view(), out.view());
    EXPECT_TRUE(same_bits(place.values(), expected)) << static_cast<int>(memory);
    EXPECT_TRUE(same_bits(out.values(), expected)) << static_cast<int>(memory);
    EXPECT_TRUE(same_bits(from.values(), in));
    EXPECT_TRUE(place.rest_is_untouched() && out.rest_is_untouched() && from.rest_is_untouched());
  }
}

TYPED_TEST(EveryType, SumsTakeInputsThatRepeatAnAxis) {
  const std::vector<TypeParam> in = inputs<TypeParam>(7 * 6);
  const Positions positions = Positions::range(0.5, 7, 0.25);
  const std::vector<TypeParam> once = plain_sum(in, table<TypeParam>(6, positions));
  std::vector<TypeParam> out(3 * 7 * 6), expected;
  for (int b = 0; b < 3; ++b) expected.insert(expected.end(), once.begin(), once.end());
  add_sinusoid(transformer, positions, view(in.data(), {7, 6}).repeated(3), view(out.data(), {3, 7, 6}));
  EXPECT_TRUE(same_bits(out, expected));
}

TEST(AddSinusoid, IgnoresWhatStandsBeyondTheRankOfAView) {
  std::vector<float> in(12, 1.0f), out(12);
  View from = view(in.data(), {2, 6});
  from.shape[5] = 99;
  add_sinusoid(transformer, Positions::range(0, 2), from, view(out.data(), {2, 6}));
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
}

TEST(AddSinusoid, OfARecipeAddsItsTable) {
  const std::vector<float> in = inputs<float>(5 * 8);
  for (const Recipe& recipe : recipes()) {
    std::vector<float> out(in.size());
    add_sinusoid(transformer, Positions::range(4995, 5), view(in.data(), {5, 8}), view(out.data(), {5, 8}),
                 {.recipe = recipe});
    EXPECT_TRUE(same_bits(out, plain_sum(in, table<float>(8, Positions::range(4995, 5), recipe)))) << recipe.name;
  }
}

// ---- surroundings -------------------------------------------------------------------------------

TYPED_TEST(EveryType, ExecutorsChangeNoBit) {
  const Rows rows(transformer, 26);
  std::vector<std::int64_t> own(2 * 331);
  std::iota(own.begin(), own.end(), -100);
  const std::vector<TypeParam> in = inputs<TypeParam>(2 * 331 * 26);
  const Positions shared = Positions::range(-100, 331), each = Positions::list(view(own.data(), {2, 331}));
  for (const Positions& positions : {shared, each}) {
    std::vector<std::vector<TypeParam>> results;
    for (const Executor& executor : {serial, test::reversed, test::two_threads}) {
      std::vector<TypeParam> written(in.size()), added(in.size());
      rows.write(positions, view(written.data(), {2, 331, 26}), executor);
      rows.add(positions, view(in.data(), {2, 331, 26}), view(added.data(), {2, 331, 26}), executor);
      written.insert(written.end(), added.begin(), added.end());
      results.push_back(written);
    }
    EXPECT_TRUE(same_bits(results[1], results[0]));
    EXPECT_TRUE(same_bits(results[2], results[0]));
  }
}

// 16,384 columns are the widest whose steps are made with them.
TEST(Rows, OfAnyWidthAreTheSameTogetherAndAlone) {
  for (const std::int64_t width : {16384, 16386}) {
    const Rows rows(transformer, width);
    const std::vector<float> together = table<float>(rows, Positions::range(100, 26));
    for (std::int64_t i = 0; i < 26; ++i) {
      const auto row = together.begin() + i * width;
      EXPECT_TRUE(same_bits(std::vector<float>(row, row + width), table<float>(rows, Positions::at(100 + i)))) << i;
    }
  }
}

TEST(Rows, ServeManyThreadsAtOnce) {
  const Rows rows(transformer, 64);
  const std::vector<float> expected = table<float>(rows, Positions::range(0, 200));
  std::vector<float> a, b;
  std::thread other([&] { a = table<float>(rows, Positions::range(0, 200)); });
  b = table<float>(rows, Positions::range(0, 200));
  other.join();
  EXPECT_TRUE(same_bits(a, expected) && same_bits(b, expected));
}

// Everything that computes: tables of integers, fractions and subnormal positions, sums, ladders, by three recipes.
template <class T>
std::vector<T> everything() {
  std::vector<T> all;
  const auto append = [&](const std::vector<T>& rows) { all.insert(all.end(), rows.begin(), rows.end()); };
  const double reals[] = {0x1p-1074, -0x1p-1022, 0x1p-140, 0.1, 1234.5678};
  const Sinusoid tiny = {Listed{{0x1p-1070, 0.3}}, Layout::sine_first, OddWidth::refused};
  for (const Recipe& recipe :
       {exact(), posenc::recipe("f32-exp"), posenc::recipe("f32-divide"), posenc::recipe("f64")}) {
    const Rows rows(transformer, 10, {.recipe = recipe});
    append(table<T>(rows, Positions::range(4000, 70)));
    append(table<T>(rows, Positions::range(0.1, 5, 0.7)));
    append(table<T>(rows, Positions::list(view(reals, {5}))));
    append(table<T>(Rows(tiny, 4, {.recipe = recipe}), Positions::range(1, 3)));
    std::vector<T> sums = inputs<T>(5 * 10);
    rows.add(Positions::range(9, 5), view(sums.data(), {5, 10}), view(sums.data(), {5, 10}));
    append(sums);
  }
  return all;
}

TYPED_TEST(EveryType, RoundingModesAndFlushedSubnormalsChangeNoBitAndAreRestored) {
  const std::vector<TypeParam> expected = everything<TypeParam>();
  for (const int mode : test::rounding_modes) {
    std::vector<TypeParam> values;
    EXPECT_TRUE(test::survives(mode, [&] { values = everything<TypeParam>(); })) << mode;
    EXPECT_TRUE(same_bits(values, expected)) << mode;
  }
}

TEST(Rows, HaveTheSameFrequenciesInEveryRoundingMode) {
  const auto all = [] {
    std::vector<double> w;
    const Sinusoid tiny = {Listed{{0x1p-1070, 0.3}}, Layout::sine_first, OddWidth::refused};
    const Sinusoid steep = {Geometric{7, 0x1p-1050, Spacing::over_width}, Layout::sine_first, OddWidth::refused};
    for (const Recipe& recipe : recipes()) {
      for (const Convention& convention : {transformer, Convention(tiny), Convention(steep)}) {
        const std::vector<double> own = Rows(convention, 4, {.recipe = recipe}).frequencies();
        w.insert(w.end(), own.begin(), own.end());
      }
    }
    return w;
  };
  const std::vector<double> expected = all();
  EXPECT_EQ(expected[2], 0x1p-1070);
  for (const int mode : test::rounding_modes) {
    std::vector<double> values;
    EXPECT_TRUE(test::survives(mode, [&] { values = all(); }));
    EXPECT_TRUE(same_bits(values, expected)) << mode;
  }
}

}  // namespace
}  // namespace posenc
