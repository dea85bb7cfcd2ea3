// SPDX-License-Identifier: Apache-2.0
// Entries of plans that no preset has, against MPFR: each is the real number rounded once, in every output type.
#include "src/encodings/entries.h"

#include <random>

#include "tests/encodings/element_types.h"
#include "tests/encodings/stated_plan.h"

namespace posenc {
namespace {

using test::constant;
using test::coordinate;
using test::ln;
using test::Number;
using test::pi_times;
using test::power;
using test::StatedRows;
using test::wave;

template <class T>
void expect_rows_rounded_once(const StatedRows& stated, const std::vector<std::vector<double>>& places) {
  const plan::RowPlan plan = stated.made();
  for (const std::vector<double>& place : places) {
    const std::vector<double> row = test::row<T>(plan, place);
    ASSERT_EQ(row.size(), plan.columns.size()) << place[0];
    for (std::size_t c = 0; c < row.size(); ++c) {
      EXPECT_EQ(row[c], oracle::rounded(stated.value(plan.columns[c], place), numerics::format<T>))
          << "column " << c << " at " << testing::PrintToString(place);
    }
  }
}

template <class T>
class EntriesOfEveryType : public testing::Test {};
TYPED_TEST_SUITE(EntriesOfEveryType, test::TableTypes);

// Small, huge, negative, fractional.
const std::vector<std::vector<double>> numbers_of_every_size = {
    {0}, {1}, {-1}, {0.5}, {-17.25}, {4095}, {1e-300}, {-0x1p-1074}, {0x1p53}, {-0x1p1000}, {123456789012345.75}};
std::vector<std::vector<double>> pairs_of_places() {
  std::vector<std::vector<double>> pairs;
  for (std::size_t i = 0; i < numbers_of_every_size.size(); ++i)
    pairs.push_back(
        {numbers_of_every_size[i][0], numbers_of_every_size[(5 * i + 3) % numbers_of_every_size.size()][0]});
  return pairs;
}

const std::vector<plan::Column> four_quarters = {wave(0, 0, 0), wave(1, 0, 1), wave(2, 0, 2), wave(3, 0, 3),
                                                 wave(3, 0, 0), wave(2, 0, 1), wave(1, 0, 2), wave(0, 0, 3)};
const std::vector<Number> mixed = {power(10000, -1, 3), pi_times(0.3), -2.5, ln(3)};

TYPED_TEST(EntriesOfEveryType, OfOneAxisInEveryQuarterOfATurn) {
  expect_rows_rounded_once<TypeParam>({{{{}}, {mixed}}, four_quarters}, numbers_of_every_size);
}

TYPED_TEST(EntriesOfEveryType, ConstantsAreTheScaleOrNothing) {
  StatedRows stated = {{{{}}, {{}}}, {constant(0), constant(1), constant(2), constant(3)}};
  for (const Number& scale : {Number(1), Number(-0.1), power(2, 1, 2), pi_times(-1), Number(1e300)}) {
    stated.scale = scale;
    expect_rows_rounded_once<TypeParam>(stated, {{7}});
  }
}

TYPED_TEST(EntriesOfEveryType, CoordinatesAreAffineImagesOrTheirLogarithms) {
  StatedRows stated = {{{{}, {0.1, -0.3}, {1, 0.5, true}}, {{}, {}, {}}},
                       {coordinate(0), coordinate(1), coordinate(2)}};
  for (const Number& scale : {Number(1), Number(-0.1), power(3, -1, 2)}) {
    stated.scale = scale;
    expect_rows_rounded_once<TypeParam>(stated, {{3, 3, 3}, {0, 0, 0}, {-1.5, 0x1p53, 1e-300}, {1e-5, 3, 0.5}});
  }
}

TYPED_TEST(EntriesOfEveryType, HavePhasesAndAScale) {
  StatedRows stated = {{{{}}, {mixed}, {0.1, pi_times(0.5), -7, ln(2)}}, four_quarters, -0.7};
  expect_rows_rounded_once<TypeParam>(stated, numbers_of_every_size);
  stated.scale = power(512, -1, 2);
  expect_rows_rounded_once<TypeParam>(stated, numbers_of_every_size);
}

TYPED_TEST(EntriesOfEveryType, OfAffineCoordinatesAndLogarithms) {
  const std::vector<std::vector<double>> above = {{0, 1}, {1, 0.25}, {-3, 1e-300}, {0.75, 4096}, {0x1p53, 0x1p1000}};
  expect_rows_rounded_once<TypeParam>(
      {{{{0.1, 0.7}, {3, 0.5, true}}, {mixed, mixed}, {0.1, 0, pi_times(0.25), -1}},
       {wave(0, 0, 0), wave(1, 0, 1), wave(2, 1, 2), wave(3, 1, 3), wave(1, test::sum, 0), wave(2, test::sum, 3)}},
      above);
}

TYPED_TEST(EntriesOfEveryType, OfASumOverAxes) {
  const std::vector<Number> other = {1, pi_times(-0.7), power(100, 2, 5), -0.125};
  const std::vector<plan::Column> columns = {wave(0, test::sum, 0), wave(1, test::sum, 1), wave(2, test::sum, 2),
                                             wave(3, test::sum, 3), wave(0, 1, 2),         wave(1, 0, 3)};
  StatedRows stated = {{{{}, {}}, {mixed, other}}, columns};
  expect_rows_rounded_once<TypeParam>(stated, pairs_of_places());
  stated.axes[1] = {0.1, 2.5};
  stated.phases = {pi_times(1), 0, 0.1, -1e10};
  stated.scale = power(2, 1, 2) * power(20, -1, 2);
  expect_rows_rounded_once<TypeParam>(stated, pairs_of_places());
}

// x w - y w' with y w' next to x w: what is left has few of their bits.
TYPED_TEST(EntriesOfEveryType, OfASumThatNearlyCancels) {
  StatedRows stated = {{{{}, {}}, {{power(10000, -1, 3)}, {power(10000, -1, 3)}}},
                       {wave(0, test::sum, 0), wave(1, test::sum, 0)}};
  std::vector<std::vector<double>> near;
  for (const int bits : {1, 20, 40, 50}) near.push_back({1 + std::ldexp(1, -bits), -1});
  expect_rows_rounded_once<TypeParam>(stated, near);
  stated.phases = {power(10000, -1, 3) * Number(-1e6)};
  expect_rows_rounded_once<TypeParam>(stated, {{1e6, 0x1p-40}, {1e6, -0x1p-1000}});
}

TYPED_TEST(EntriesOfEveryType, AtRandomPlaces) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> to(-5000, 5000);
  std::vector<std::vector<double>> drawn;
  for (int i = 0; i < 40; ++i) drawn.push_back({to(random), std::round(to(random)), to(random)});
  const std::vector<Number> half_turns = {pi_times(1), pi_times(0x1p-5)}, radians = {1, 0.7}, small = {0.001, 1e-9};
  expect_rows_rounded_once<TypeParam>({{{{}, {0.01, 0.5}, {}}, {half_turns, radians, small}, {0.25, pi_times(0.125)}},
                                       {wave(0, test::sum, 0), wave(1, test::sum, 1), wave(2, 2, 0), wave(0, 1, 1)},
                                       -1.7},
                                      drawn);
}

// ---- what is no number ---------------------------------------------------------------------------

TEST(Entries, OfAPlaceThatLacksACoordinateAreZeros) {
  const StatedRows stated = {
      {{{}, {}}, {mixed, mixed}, {0.1, 0, 0, 0}}, {wave(1, 0, 0), constant(1), coordinate(1), constant(3)}, -2};
  for (const plan::Absent absent : {plan::Absent::zeros, plan::Absent::refused}) {
    plan::RowPlan plan = stated.made();
    plan.absent = absent;
    std::vector<float> out(4, 9.0f);
    const std::optional<numerics::Dyadic> place[] = {numerics::dyadic(3.0), std::nullopt};
    EXPECT_TRUE(Entries(plan).write_row(place, out.data(), 1));
    for (const float x : out) EXPECT_TRUE(x == 0 && !std::signbit(x));
  }
}

TEST(Entries, OfALogarithmOfZeroOrLessAreNotSettled) {
  const StatedRows of_wave = {{{{1, 1, true}}, {mixed}}, {wave(0, 0, 0)}};
  const StatedRows of_coordinate = {{{{1, 1, true}}, {mixed}}, {coordinate(0)}};
  for (const StatedRows& stated : {of_wave, of_coordinate}) {
    EXPECT_EQ(test::row<float>(stated.made(), {0}).size(), 1u);
    for (const double p : {-1.0, -1.5, -1e300}) EXPECT_TRUE(test::row<float>(stated.made(), {p}).empty()) << p;
  }
}

TEST(Entries, StandAnyStepApart) {
  const StatedRows stated = {{{{}}, {mixed}}, four_quarters};
  std::vector<double> out(24, 9), row = test::row<double>(stated.made(), {3});
  const std::optional<numerics::Dyadic> place[] = {numerics::dyadic(3.0)};
  EXPECT_TRUE(Entries(stated.made()).write_row(place, out.data() + 23, -3));
  for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(out[23 - 3 * c], row[c]);
  EXPECT_EQ(out[1], 9);
}

}  // namespace
}  // namespace posenc
