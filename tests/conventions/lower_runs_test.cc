// SPDX-License-Identifier: Apache-2.0
// What stands in each column of a row of several axes, written out for small widths.
#include <gtest/gtest.h>

#include "tests/conventions/column_text.h"
#include "tests/encodings/short_forms.h"

namespace posenc {
namespace {

using test::Counts;
using test::expect_columns;
using test::paper;
using test::refusal;

// Every axis with its own pairs, axis by axis, [s.. c..] within its run.
Waves own(std::vector<std::string> axes) {
  Waves waves = Sinusoid{paper, Layout::sine_first, OddWidth::refused};
  waves.axes = std::move(axes);
  return waves;
}
Waves rung_major(Waves waves, Scope scope) {
  waves.order = PairOrder::rung_major, waves.scope = scope;
  return waves;
}
const Waves two = own({"x", "y"}), three = own({"t", "y", "x"});

TEST(LowerRuns, StandAxisByAxisOrRungByRung) {
  const auto interleaved = [](Waves& w) { w.layout = Layout::interleaved; };
  const auto cosine_first = [](Waves& w) { w.layout = Layout::cosine_first; };
  const auto by_row = [](Waves& w) { w.scope = Scope::row; };
  expect_columns(two, {{8, [](Waves&) {}, "xs0 xs1 xc0 xc1 ys0 ys1 yc0 yc1"},
                       {8, cosine_first, "xc0 xc1 xs0 xs1 yc0 yc1 ys0 ys1"},
                       {8, interleaved, "xs0 xc0 xs1 xc1 ys0 yc0 ys1 yc1"},
                       {8, by_row, "xs0 xs1 ys0 ys1 xc0 xc1 yc0 yc1"}});
  expect_columns(rung_major(two, Scope::run), {{8, [](Waves&) {}, "xs0 xs1 xc0 xc1 ys0 ys1 yc0 yc1"},
                                               {8, interleaved, "xs0 xc0 ys0 yc0 xs1 xc1 ys1 yc1"},
                                               {8, by_row, "xs0 ys0 xs1 ys1 xc0 yc0 xc1 yc1"}});
  expect_columns(rung_major(two, Scope::period), {{8, [](Waves&) {}, "xs0 ys0 xc0 yc0 xs1 ys1 xc1 yc1"},
                                                  {8, cosine_first, "xc0 yc0 xs0 ys0 xc1 yc1 xs1 ys1"},
                                                  {8, interleaved, "xs0 xc0 ys0 yc0 xs1 xc1 ys1 yc1"}});
}

TEST(LowerRuns, OfAPeriodHaveTheAxesThatReachItsRung) {
  const auto counts = [](Waves& w) { w.sections = Counts{3, 1, 2}; };
  expect_columns(rung_major(three, Scope::period), {{12, counts, "ts0 ys0 xs0 tc0 yc0 xc0 ts1 xs1 tc1 xc1 ts2 tc2"}});
}

TEST(LowerRuns, HaveThePairsOfTheirSections) {
  expect_columns(
      two,
      {{8, [](Waves& w) { w.sections = Counts{1, 3}; }, "xs0 xc0 ys0 ys1 ys2 yc0 yc1 yc2"},
       {4, [](Waves& w) { w.sections = Counts{0, 2}; }, "ys0 ys1 yc0 yc1"},
       {6, [](Waves&) {}, "[convention] width must be a multiple of 4: each axis has as many pairs, got 6"},
       {8, [](Waves& w) { w.sections = EqualUp{}; }, "xs0 xs1 xc0 xc1 ys0 ys1 yc0 yc1"},
       {6, [](Waves& w) { w.sections = EqualUp{}; }, "[convention] sections must have 3 pairs for width 6, got 4"},
       {8, [](Waves& w) { w.sections = Counts{1, 2}; }, "[convention] sections must have 4 pairs for width 8, got 3"},
       {8, [](Waves& w) { w.sections = Counts{3, 3}; }, "[convention] sections must have 4 pairs for width 8, got 6"}});
  // floor(width share / of) / 2 pairs; what is left goes to one axis
  expect_columns(
      three,
      {{8, [](Waves& w) { w.sections = AxisShares{{1, 1, 1}, 4, "x"}; }, "ts0 tc0 ys0 yc0 xs0 xs1 xc0 xc1"},
       {10, [](Waves& w) { w.sections = AxisShares{{0, 3, 2}, 8, "t"}; }, "ts0 ts1 ts2 tc0 tc1 tc2 ys0 yc0 xs0 xc0"},
       {8, [](Waves& w) { w.sections = AxisShares{{4, 4, 0}, 4, "x"}; },
        "[convention] sections.shares must be at most `of` in all, got [4, 4, 0]"}});
}

TEST(LowerRuns, LeaveColumnsThatAreZerosOrCut) {
  const auto zeros = [](Waves& w) { w.rest = RestColumns::zero_columns; };
  const auto cut = [](Waves& w) { w.rest = RestColumns::truncated, w.sections = EqualUp{}; };
  expect_columns(two, {{6, zeros, "xs0 xc0 ys0 yc0 0 0"},
                       {7, zeros, "xs0 xc0 ys0 yc0 0 0 0"},
                       {3, zeros, "0 0 0"},
                       {6, cut, "xs0 xs1 xc0 xc1 ys0 ys1"},
                       {7, cut, "xs0 xs1 xc0 xc1 ys0 ys1 yc0"},
                       {6, [](Waves& w) { w.rest = RestColumns::zero_columns, w.sections = EqualUp{}; },
                        "[convention] sections must have at most 3 pairs for width 6, got 4"},
                       {6, [](Waves& w) { w.rest = RestColumns::truncated; },
                        "[convention] sections must have 3 pairs for width 6, got 2"},
                       {8, [](Waves& w) { w.rest = RestColumns::truncated, w.sections = Counts{2, 1 << 30}; },
                        "[convention] sections must have 4 pairs for width 8, got 1073741824"}});
}

TEST(LowerRuns, StandBehindTheirCoordinates) {
  expect_columns(two, {{6, [](Waves& w) { w.lead = Lead::coordinates; }, "x y xs0 xc0 ys0 yc0"},
                       {6, [](Waves& w) { w.lead = Lead::zeros; }, "0 0 xs0 xc0 ys0 yc0"},
                       {9, [](Waves& w) { w.lead = Lead::coordinates, w.rest = RestColumns::zero_columns; },
                        "x y xs0 xc0 ys0 yc0 0 0 0"},
                       {6, [](Waves& w) { w.lead = Lead::coordinates, w.parts = WaveParts::sine; }, "x y xs0 ys0"}});
}

// ---- one ladder, dealt out -----------------------------------------------------------------------

Waves dealt(std::vector<Stretch> deal, PairOrder order) {
  Waves waves = three;
  waves.rungs = Rungs::dealt, waves.sections = Nothing{}, waves.deal = std::move(deal), waves.order = order;
  return waves;
}

TEST(LowerDeal, GoesRoundTheAxesOfAStretch) {
  const auto interleaved = [](Waves& w) { w.layout = Layout::interleaved; };
  const auto by_row = [](Waves& w) { w.scope = Scope::row; };
  const std::vector<Stretch> deal = {{{"t", "x"}, 3}, {{"y"}, 1}};
  expect_columns(dealt(deal, PairOrder::rung_major),
                 {{8, interleaved, "ts0 tc0 xs1 xc1 ts2 tc2 ys3 yc3"},
                  {8, by_row, "ts0 xs1 ts2 ys3 tc0 xc1 tc2 yc3"},
                  {8, [](Waves&) {}, "ts0 ts2 tc0 tc2 ys3 yc3 xs1 xc1"},
                  {8, [](Waves& w) { w.scope = Scope::period; }, "ts0 xs1 tc0 xc1 ts2 ys3 tc2 yc3"}});
  expect_columns(dealt(deal, PairOrder::axis_major), {{8, interleaved, "ts0 tc0 ts2 tc2 ys3 yc3 xs1 xc1"},
                                                      {8, [](Waves&) {}, "ts0 ts2 tc0 tc2 ys3 yc3 xs1 xc1"}});
}

TEST(LowerDeal, HasPairsOfNoAxisThatStandAtAngleZero) {
  const Waves waves = dealt({{{"none", "t"}, 3}}, PairOrder::rung_major);
  const auto interleaved = [](Waves& w) { w.layout = Layout::interleaved; };
  expect_columns(waves, {{6, interleaved, "0 1 ts1 tc1 0 1"},
                         {6, [](Waves&) {}, "ts1 tc1 0 0 1 1"},
                         {6, [](Waves& w) { w.scope = Scope::row; }, "0 ts1 0 1 tc1 1"},
                         {6, [](Waves& w) { w.scope = Scope::row, w.parts = WaveParts::sine; }, "0 ts1 0"},
                         {6, [](Waves& w) { w.scope = Scope::row, w.parts = WaveParts::cosine; }, "1 tc1 1"},
                         {6, [](Waves& w) { w.layout = Layout::interleaved, w.order = PairOrder::axis_major; },
                          "ts1 tc1 0 1 0 1"}});
}

TEST(LowerDeal, HandsOutEveryPairOfTheRow) {
  const Waves waves = dealt({{{"t"}, 3}}, PairOrder::rung_major);
  EXPECT_EQ(test::columns_text(waves, 8), "[convention] stretches must have 4 pairs for width 8, got 3");
  EXPECT_EQ(test::columns_text(waves, 7), "[convention] width must be even, got 7");
  test::expect_frequencies(test::rounded(lower_rows(waves, {.width = 6}).ladders[2]), 3, [](oracle::Value k) {
    return pow(oracle::Value(10000), oracle::Value(0) - k / oracle::Value(3));  // over the whole row
  });
}

// ---- sums over axes ------------------------------------------------------------------------------

TEST(LowerSum, HasEveryAxisInEveryPair) {
  Waves waves = two;
  waves.rungs = Rungs::summed, waves.sections = Nothing{};
  waves.ladders = {Listed{{1, -2}}, Listed{{0.5, 3}}};
  expect_columns(waves, {{4, [](Waves&) {}, "s0 s1 c0 c1"},
                         {4, [](Waves& w) { w.scope = Scope::row; }, "s0 s1 c0 c1"},
                         {4, [](Waves& w) { w.layout = Layout::cosine_first; }, "c0 c1 s0 s1"},
                         {4, [](Waves& w) { w.layout = Layout::interleaved; }, "s0 c0 s1 c1"},
                         {4, [](Waves& w) { w.scope = Scope::period, w.order = PairOrder::rung_major; }, "s0 c0 s1 c1"},
                         {6, [](Waves& w) { w.lead = Lead::coordinates; }, "x y s0 s1 c0 c1"},
                         {5, [](Waves&) {}, "[convention] width must be even, got 5"}});
  waves.phases = std::vector<double>{0.5, 0.25};
  EXPECT_EQ(lower_rows(waves, {.width = 4}).phases, (std::vector<numerics::Real>{0.5, 0.25}));
  Waves phased = two;
  phased.phases = std::vector<double>{0.5, 0.25};
  EXPECT_EQ(refusal(phased, {.width = 8}),
            "[convention] phases must be none where each axis has its own pairs, got listed");
}

TEST(LowerRuns, HaveTheLadderOfTheirAxisOverItsRun) {
  Waves waves = two;
  waves.ladders = {paper, Geometric{100, 3, Spacing::over_gaps}}, waves.sections = Counts{2, 3};
  const std::vector<plan::Ladder> ladders = lower_rows(waves, {.width = 10}).ladders;
  using oracle::Value;
  test::expect_frequencies(test::rounded(ladders[0]), 2,
                           [](Value k) { return pow(Value(10000), Value(0) - k / Value(2)); });
  test::expect_frequencies(test::rounded(ladders[1]), 3,
                           [](Value k) { return Value(3) * pow(Value(100), Value(0) - k / Value(2)); });
}

}  // namespace
}  // namespace posenc
