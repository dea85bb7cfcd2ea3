// SPDX-License-Identifier: Apache-2.0
// Entries that are known exactly: zeros with their signs, halves, ones and coordinates in ties.
#include "src/encodings/entries.h"
#include "tests/encodings/element_types.h"
#include "tests/encodings/stated_plan.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;
using test::constant;
using test::coordinate;
using test::wave;

const Real half_turn = numerics::pi_to_the(1), irrational = numerics::power(Rational(10000), fraction(-1, 3));

plan::RowPlan rows_of(std::vector<plan::Ladder> ladders, std::vector<plan::Column> columns,
                      std::vector<Real> phases = {}, Real scale = 1) {
  const std::vector<plan::Axis> axes(ladders.size());
  return {axes, std::move(ladders), std::move(phases), std::move(columns), std::move(scale), plan::Absent::zeros};
}
plan::Ladder rungs_of(std::vector<Real> w) { return {std::move(w)}; }

// "+0" and "-0" apart.
std::string text(double x) { return x == 0 ? std::signbit(x) ? "-0" : "+0" : testing::PrintToString(x); }
std::string text(const std::vector<double>& row) {
  std::string all;
  for (const double x : row) all += (all.empty() ? "" : " ") + text(x);
  return all;
}

template <class T>
class ExactEntriesOfEveryType : public testing::Test {};
TYPED_TEST_SUITE(ExactEntriesOfEveryType, test::TableTypes);

const std::vector<plan::Column> every_quarter = {wave(0, 0, 0), wave(1, 0, 0), wave(2, 0, 0), wave(3, 0, 0)};

// ---- zeros ---------------------------------------------------------------------------------------

TYPED_TEST(ExactEntriesOfEveryType, OfWholeHalfTurnsHaveTheSignOfTheAngle) {
  const plan::RowPlan turns = rows_of({rungs_of({half_turn})}, every_quarter);
  for (const double p : {2.0, 4.0, 0x1p53, 0x1p1000}) {
    EXPECT_EQ(text(test::row<TypeParam>(turns, {p})), "+0 1 -0 -1") << p;
    EXPECT_EQ(text(test::row<TypeParam>(turns, {-p})), "-0 1 +0 -1") << p;
  }
  for (const double p : {1.0, 3.0, 0x1p53 - 1}) {
    EXPECT_EQ(text(test::row<TypeParam>(turns, {p})), "+0 -1 -0 1") << p;
    EXPECT_EQ(text(test::row<TypeParam>(turns, {-p})), "-0 -1 +0 1") << p;
  }
  EXPECT_EQ(text(test::row<TypeParam>(turns, {0.5})), "1 +0 -1 -0");
  EXPECT_EQ(text(test::row<TypeParam>(turns, {-1.5})), "1 +0 -1 -0");
  EXPECT_EQ(text(test::row<TypeParam>(turns, {-0.5})), "-1 +0 1 -0");
}

TYPED_TEST(ExactEntriesOfEveryType, OfANegativeScaleTurnTheirZeros) {
  const plan::RowPlan turns = rows_of({rungs_of({half_turn})}, every_quarter, {}, -2);
  EXPECT_EQ(text(test::row<TypeParam>(turns, {2})), "-0 -2 +0 2");
  EXPECT_EQ(text(test::row<TypeParam>(turns, {0.5})), "-2 -0 2 +0");
}

TYPED_TEST(ExactEntriesOfEveryType, AtAngleZeroAreTheScaleOrPlusZero) {
  const std::vector<plan::Column> summed = {wave(0, test::sum, 0), wave(1, test::sum, 0), wave(2, test::sum, 0),
                                            wave(3, test::sum, 0)};
  for (const Real& w : {irrational, half_turn, irrational * half_turn, Real(-0.3)}) {
    for (const Real& scale : {Real(1), Real(-3)}) {
      const std::string expected = scale == Real(1) ? "+0 1 +0 -1" : "+0 -3 +0 3";
      EXPECT_EQ(text(test::row<TypeParam>(rows_of({rungs_of({w})}, every_quarter, {}, scale), {0})), expected);
      EXPECT_EQ(text(test::row<TypeParam>(rows_of({rungs_of({Real()})}, every_quarter, {}, scale), {-7})), expected);
      const plan::RowPlan phased = rows_of({rungs_of({w})}, every_quarter, {w * Real(-0.75)}, scale);
      EXPECT_EQ(text(test::row<TypeParam>(phased, {0.75})), expected) << "a phase cancels";
      const plan::RowPlan sum = rows_of({rungs_of({w}), rungs_of({-w * Real(3)})}, summed, {}, scale);
      EXPECT_EQ(text(test::row<TypeParam>(sum, {-1.5, -0.5})), expected) << "axes cancel";
      const plan::RowPlan both = rows_of({rungs_of({w}), rungs_of({w})}, summed, {w}, scale);
      EXPECT_EQ(text(test::row<TypeParam>(both, {-2.5, 1.5})), expected) << "axes and a phase cancel";
    }
  }
}

TYPED_TEST(ExactEntriesOfEveryType, ThatNeedNoAngleAreConstants) {
  const std::vector<plan::Column> columns = {constant(0), constant(1), constant(2), constant(3), coordinate(0)};
  EXPECT_EQ(text(test::row<TypeParam>(rows_of({rungs_of({Real(1)})}, columns), {-3})), "+0 1 +0 -1 -3");
  EXPECT_EQ(text(test::row<TypeParam>(rows_of({rungs_of({Real(1)})}, columns, {}, -2), {0})), "+0 -2 +0 2 +0");
}

// ---- quarter turns by phases and by cancellation -------------------------------------------------

TYPED_TEST(ExactEntriesOfEveryType, OfQuarterTurnsThatPhasesAndAxesMake) {
  const Real quarter = half_turn * Real(0.5);
  const plan::RowPlan phased = rows_of({rungs_of({irrational})}, every_quarter, {quarter - irrational * Real(5)});
  EXPECT_EQ(text(test::row<TypeParam>(phased, {5})), "1 +0 -1 -0");
  const plan::RowPlan sum = rows_of({rungs_of({irrational}), rungs_of({half_turn - irrational})},
                                    {wave(0, test::sum, 0), wave(1, test::sum, 0)});
  EXPECT_EQ(text(test::row<TypeParam>(sum, {3, 3})), "+0 -1");
  EXPECT_EQ(text(test::row<TypeParam>(sum, {-3, -3})), "-0 -1");
}

// ---- ties ----------------------------------------------------------------------------------------

// Half-way between 1 + k units of T and the next number; the even one of them.
template <class T>
Rational tie(int k) {
  return Rational(1) + Rational(std::ldexp(1.0, 1 - numerics::format<T>.precision)) * (Rational(k) + fraction(1, 2));
}
template <class T>
double even(int k) {
  return 1 + std::ldexp(k + k % 2, 1 - numerics::format<T>.precision);
}

TYPED_TEST(ExactEntriesOfEveryType, InTiesGoToTheEvenNumber) {
  for (int k = 0; k < 4; ++k) {
    const double x = even<TypeParam>(k);
    const Real scale = Real(tie<TypeParam>(k)), sixth = half_turn * Real(fraction(1, 6));
    const std::vector<plan::Column> columns = {constant(1), constant(3), wave(0, 0, 0), wave(3, 0, 1), wave(2, 0, 2)};
    const plan::RowPlan halves =
        rows_of({rungs_of({sixth, sixth * Real(2), half_turn * Real(0.5)})}, columns, {}, scale);
    EXPECT_EQ(test::row<TypeParam>(halves, {1}), (std::vector{x, -x, x / 2, -x / 2, -x})) << k;
    // sqrt(1/2) of an eighth of a turn times a scale with sqrt 2, by a sum with a phase
    const plan::RowPlan roots = rows_of({rungs_of({irrational}), rungs_of({irrational})}, {wave(0, test::sum, 0)},
                                        {half_turn * Real(0.25)}, scale * numerics::power(Rational(2), fraction(1, 2)));
    EXPECT_EQ(test::row<TypeParam>(roots, {7.5, -7.5}), std::vector{x}) << k;
  }
}

TYPED_TEST(ExactEntriesOfEveryType, OfCoordinatesInTiesGoToTheEvenNumber) {
  for (int k = 0; k < 4; ++k) {
    plan::RowPlan affine = rows_of({rungs_of({Real(1)})}, {coordinate(0)});
    affine.axes[0] = {tie<TypeParam>(k) - Rational(1), 1};  // 1 + (tie - 1) p
    EXPECT_EQ(test::row<TypeParam>(affine, {1}), std::vector{even<TypeParam>(k)}) << k;
    affine.axes[0] = {-tie<TypeParam>(k), 0};
    EXPECT_EQ(test::row<TypeParam>(affine, {1}), std::vector{-even<TypeParam>(k)}) << k;
    const plan::RowPlan scaled = rows_of({rungs_of({Real(1)})}, {coordinate(0)}, {}, Real(tie<TypeParam>(k)));
    EXPECT_EQ(test::row<TypeParam>(scaled, {2}), std::vector{2 * even<TypeParam>(k)}) << k;
  }
}

}  // namespace
}  // namespace posenc
