// SPDX-License-Identifier: Apache-2.0
// Ladders and plans are compared by the numbers that they state.
#include "src/plan/ladder.h"

#include <gtest/gtest.h>

#include "src/plan/pair_plan.h"

namespace posenc::plan {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;

Ladder rule(double base, std::int64_t n, std::int64_t d, std::size_t count) {
  return {Rule{1, {{Rational(base), fraction(n, d)}}, count}};
}

TEST(Ladder, MakesItsEntriesOnDemand) {
  const Ladder paper = rule(10000, -1, 4, 4);
  ASSERT_EQ(paper.size(), 4u);
  EXPECT_EQ(paper[0], Real(1));
  EXPECT_EQ(paper[1], Real(fraction(1, 10)));
  EXPECT_EQ(paper[3], Real(fraction(1, 1000)));
  const Ladder listed = {Values{{0.5, -2}, numerics::pi_to_the(1)}};
  EXPECT_EQ(listed[1], Real(-2) * numerics::pi_to_the(1));
}

TEST(Ladder, IsTheSameInEveryForm) {
  const Ladder paper = rule(10000, -1, 4, 4);
  EXPECT_EQ(paper, rule(100, -1, 2, 4));
  EXPECT_EQ(rule(10000, -1, 3, 9), rule(100, -2, 3, 9));
  EXPECT_EQ(paper, (Ladder{std::vector<Real>{1, fraction(1, 10), fraction(1, 100), fraction(1, 1000)}}));
  EXPECT_EQ((Ladder{Values{{1, 2, 4}, 1}}), rule(2, 1, 1, 3));
  EXPECT_FALSE(paper == rule(10000, -1, 4, 3));
  EXPECT_FALSE(paper == rule(10001, -1, 4, 4));
  EXPECT_FALSE(paper == (Ladder{std::vector<Real>{1, 0.1, 0.01, 0.001}})) << "doubles are no tenths";
}

RowPlan row(std::vector<Ladder> ladders, std::vector<Column> columns) {
  RowPlan plan;
  plan.axes.resize(ladders.size());
  plan.ladders = std::move(ladders);
  plan.columns = std::move(columns);
  return plan;
}

TEST(RowPlan, IsTheSameTableWhateverItsFrequenciesAreCalled) {
  const RowPlan plan = row({rule(2, 1, 1, 2)}, {{Kind::wave, 0, 0, 1}, {Kind::wave, 1, 0, 0}});
  EXPECT_EQ(plan, row({{Values{{9, 2, 1}, 1}}}, {{Kind::wave, 0, 0, 1}, {Kind::wave, 1, 0, 2}}));
  EXPECT_FALSE(plan == row({rule(2, 1, 1, 2)}, {{Kind::wave, 0, 0, 1}, {Kind::wave, 1, 0, 1}}));
  EXPECT_FALSE(plan == row({rule(2, 1, 1, 2)}, {{Kind::wave, 0, 0, 1}, {Kind::wave, 3, 0, 0}}));
  EXPECT_FALSE(plan == row({rule(2, 1, 1, 2)}, {{Kind::wave, 0, 0, 1}, {Kind::constant, 1, 0, 0}}));
  RowPlan scaled = plan;
  scaled.scale = 2;
  EXPECT_FALSE(plan == scaled);
  RowPlan moved = plan;
  moved.axes[0].start = fraction(1, 2);
  EXPECT_FALSE(plan == moved);
  RowPlan phased = plan;
  phased.phases = {0, 1};
  EXPECT_FALSE(plan == phased);
  phased.phases = {0, 0};
  EXPECT_EQ(plan, phased);
}

TEST(RowPlan, TellsASumOverAxesFromOneOfThem) {
  const Ladder ladder = rule(2, 1, 1, 1), none = {Values{{0}, 1}};
  const RowPlan sum = row({ladder, ladder}, {{Kind::wave, 0, every_axis, 0}});
  EXPECT_FALSE(sum == row({ladder, ladder}, {{Kind::wave, 0, 0, 0}}));
  EXPECT_EQ(row({ladder, none}, {{Kind::wave, 0, every_axis, 0}}), row({ladder, ladder}, {{Kind::wave, 0, 0, 0}}));
}

PairPlan pairs(std::vector<std::array<std::uint32_t, 2>> columns) {
  PairPlan plan;
  plan.axes.resize(1);
  plan.ladders = {rule(10000, -1, 2, columns.size())};
  plan.width = 2 * std::ssize(columns);
  for (std::uint32_t k = 0; k < columns.size(); ++k) plan.pairs.push_back({columns[k], columns[k], {{{0, k}, {0, k}}}});
  return plan;
}

TEST(PairPlan, KnowsThePairsThatKernelsTake) {
  EXPECT_EQ(plain_pairs(pairs({{0, 1}, {2, 3}})), Pairs::adjacent);
  EXPECT_EQ(plain_pairs(pairs({{0, 2}, {1, 3}})), Pairs::split_half);
  EXPECT_EQ(plain_pairs(pairs({{1, 0}, {2, 3}})), std::nullopt);
  EXPECT_EQ(plain_pairs(pairs({{2, 3}, {4, 5}})), std::nullopt);
  PairPlan decaying = pairs({{0, 1}});
  decaying.decay = Decay{{1}, 0, 1};
  EXPECT_EQ(plain_pairs(decaying), std::nullopt);
  PairPlan summed = pairs({{0, 1}});
  summed.pairs[0].angles[0].axis = summed.pairs[0].angles[1].axis = every_axis;
  EXPECT_EQ(plain_pairs(summed), std::nullopt);
  PairPlan two = pairs({{0, 1}, {2, 3}});
  two.pairs[1].angles[1].frequency = 0;
  EXPECT_EQ(plain_pairs(two), std::nullopt);
  EXPECT_FALSE(two == pairs({{0, 1}, {2, 3}}));
}

}  // namespace
}  // namespace posenc::plan
