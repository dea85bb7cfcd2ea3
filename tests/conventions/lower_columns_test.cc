// SPDX-License-Identifier: Apache-2.0
// What stands in each column of a row, written out for small widths.
#include <gtest/gtest.h>

#include "tests/conventions/column_text.h"
#include "tests/encodings/short_forms.h"

namespace posenc {
namespace {

using test::expect_columns;
using test::paper_waves;
using test::refusal;

// ---- one axis ------------------------------------------------------------------------------------

TEST(LowerColumns, OfOneAxisFollowTheLayout) {
  expect_columns(paper_waves,
                 {{4, [](Waves&) {}, "s0 c0 s1 c1"},
                  {4, [](Waves& w) { w.layout = Layout::sine_first; }, "s0 s1 c0 c1"},
                  {4, [](Waves& w) { w.layout = Layout::cosine_first; }, "c0 c1 s0 s1"},
                  {4, [](Waves& w) { w.layout = Layout::sine_first, w.scope = Scope::row; }, "s0 s1 c0 c1"},
                  {4, [](Waves& w) { w.parts = WaveParts::sine; }, "s0 s1"},
                  {4, [](Waves& w) { w.layout = Layout::sine_first, w.parts = WaveParts::cosine; }, "c0 c1"}});
}

TEST(LowerColumns, OfAPeriodOfOneAxisAreTheTwoOfAFrequency) {
  Waves waves = paper_waves;
  waves.scope = Scope::period, waves.order = PairOrder::rung_major;
  expect_columns(waves, {{4, [](Waves&) {}, "s0 c0 s1 c1"},
                         {4, [](Waves& w) { w.layout = Layout::sine_first; }, "s0 c0 s1 c1"},
                         {4, [](Waves& w) { w.layout = Layout::cosine_first; }, "c0 s0 c1 s1"},
                         {5, [](Waves& w) { w.layout = Layout::cosine_first, w.odd_width = OddWidth::lone_sine; },
                          "c0 s0 c1 s1 s2"}});
}

TEST(LowerColumns, OfAnOddWidthFollowItsRule) {
  const std::string odd = "[convention] width must be even, got 5";
  expect_columns(paper_waves,
                 {{5, [](Waves&) {}, odd},
                  {5, [](Waves& w) { w.odd_width = OddWidth::zero_column; }, "s0 c0 s1 c1 0"},
                  {5, [](Waves& w) { w.odd_width = OddWidth::short_row; }, "s0 c0 s1 c1"},
                  {5, [](Waves& w) { w.odd_width = OddWidth::lone_sine; }, "s0 c0 s1 c1 s2"},
                  {5, [](Waves& w) { w.odd_width = OddWidth::repeated_cosine; }, "s0 c0 s1 c1 c0"},
                  {4, [](Waves& w) { w.odd_width = OddWidth::zero_row; }, "s0 c0 s1 c1"},
                  {5, [](Waves& w) { w.odd_width = OddWidth::zero_row; },
                   "[convention] odd_width zero_row adds a row that no position has: width must be even, got 5"},
                  {1, [](Waves& w) { w.odd_width = OddWidth::zero_column; }, "0"},
                  {1, [](Waves& w) { w.odd_width = OddWidth::lone_sine; }, "s0"},
                  {1, [](Waves& w) { w.odd_width = OddWidth::short_row; },
                   "[convention] width must give at least one column, got 1"},
                  {1, [](Waves& w) { w.odd_width = OddWidth::repeated_cosine; },
                   "[convention] width must give 1 frequency or more: the last column repeats a cosine, got 1"}});
  Waves halves = paper_waves;
  halves.layout = Layout::sine_first;
  expect_columns(
      halves,
      {{5, [](Waves& w) { w.odd_width = OddWidth::zero_column; }, "s0 s1 c0 c1 0"},
       {5, [](Waves& w) { w.odd_width = OddWidth::short_row; }, "s0 s1 c0 c1"},
       {5, [](Waves& w) { w.odd_width = OddWidth::lone_sine; }, "s0 s1 s2 c0 c1"},
       {5, [](Waves& w) { w.odd_width = OddWidth::lone_sine, w.layout = Layout::cosine_first; }, "c0 c1 s0 s1 s2"},
       {5, [](Waves& w) { w.odd_width = OddWidth::repeated_cosine; }, "s0 s1 c0 c1 c0"},
       {5, [](Waves& w) { w.odd_width = OddWidth::lone_sine, w.parts = WaveParts::sine; }, "s0 s1 s2"},
       {5, [](Waves& w) { w.odd_width = OddWidth::zero_column, w.parts = WaveParts::sine; }, "s0 s1 0"}});
}

TEST(LowerColumns, BehindALeadHaveTheWidthThatIsLeft) {
  expect_columns(
      paper_waves,
      {{5, [](Waves& w) { w.lead = Lead::zeros; }, "0 s0 c0 s1 c1"},
       {5, [](Waves& w) { w.lead = Lead::coordinates; }, "position s0 c0 s1 c1"},
       {4, [](Waves& w) { w.lead = Lead::coordinates; }, "[convention] width must be even, got 4"},
       {6, [](Waves& w) { w.lead = Lead::coordinates, w.odd_width = OddWidth::short_row; }, "position s0 c0 s1 c1"},
       {5, [](Waves& w) { w.lead = Lead::coordinates, w.odd_width = OddWidth::short_row; }, "position s0 c0 s1 c1"},
       {5, [](Waves& w) { w.lead = Lead::coordinates, w.parts = WaveParts::cosine; }, "position c0 c1"},
       {1, [](Waves& w) { w.lead = Lead::zeros; }, "[convention] width must have room for waves, got 1"}});
}

TEST(LowerColumns, CountTheirOwnFrequencies) {
  Waves waves = paper_waves;
  waves.ladders = {Geometric{10000, 1, {Spacing::Over::columns, 0, 0, 0}}};
  const std::string lone = "[convention] odd_width must be lone_sine where the ladder counts columns, got 5";
  expect_columns(waves, {{4, [](Waves&) {}, "s0 c1 s2 c3"},
                         {5, [](Waves& w) { w.odd_width = OddWidth::lone_sine; }, "s0 c1 s2 c3 s4"},
                         {5, [](Waves& w) { w.odd_width = OddWidth::short_row; }, lone},
                         {5, [](Waves&) {}, "[convention] width must be even, got 5"},
                         {4, [](Waves& w) { w.layout = Layout::sine_first; },
                          "[convention] layout must be interleaved where the ladder counts columns, got sine_first"}});
}

TEST(LowerColumns, OfOneAxisHaveAsManyPairsAsAListSays) {
  const auto listed = [](Waves& w) { w.sections = std::vector<std::int64_t>{2}; };
  expect_columns(paper_waves,
                 {{4, listed, "s0 c0 s1 c1"},
                  {8, listed, "[convention] sections must have 4 pairs for width 8, got 2"},
                  {8, [](Waves& w) { w.sections = AxisShares{{1}, 4, "position"}; }, "s0 c0 s1 c1 s2 c2 s3 c3"}});
}

// ---- scale, phases, absent positions -------------------------------------------------------------

TEST(LowerRows, HaveAScaleByTheWidth) {
  using oracle::Value;
  const auto scale = [](OutputScale by, std::optional<double> learned = {}) {
    Waves waves = paper_waves;
    waves.scale = by;
    return test::rounded(lower_rows(waves, {.width = 6, .context = {.learned = learned}}).scale);
  };
  EXPECT_EQ(scale(0.1), 0.1);
  EXPECT_EQ(scale(WidthScale::sqrt_2_over_d), oracle::rounded(sqrt(Value(2) / Value(6)), oracle::f64));
  EXPECT_EQ(scale(WidthScale::one_over_sqrt_d), oracle::rounded(Value(1) / sqrt(Value(6)), oracle::f64));
  EXPECT_EQ(scale(LearnedScale{1}, 0.7), 0.7);
  Waves learned = paper_waves;
  learned.scale = LearnedScale{1};
  EXPECT_EQ(refusal(learned, {.width = 6}),
            "[convention] learned must be stated: the scale is a factor of the caller's, got none");
}

TEST(LowerRows, HavePhasesInTheUnitOfTheAngle) {
  Waves waves = paper_waves;
  LinearLadder halves = {1, 3, AngleUnit::half_turns};
  waves.ladders = {halves}, waves.phases = std::vector<double>{0.5, -0.1, 0};
  const plan::RowPlan plan = lower_rows(waves, {.width = 6});
  test::expect_frequencies(test::rounded(plan::Ladder{plan.phases}), 3, [k = 0](oracle::Value) mutable {
    return oracle::Value(std::vector{0.5, -0.1, 0.0}[static_cast<std::size_t>(k++)]) * oracle::pi();
  });
  EXPECT_EQ(refusal(waves, {.width = 8}), "[convention] phases must list 4 numbers for width 8, got 3");
}

TEST(LowerRows, SayWhatAnAbsentPositionGetsAndMakeNoMeans) {
  Waves waves = paper_waves;
  EXPECT_EQ(lower_rows(waves, {.width = 4}).absent, plan::Absent::refused);
  waves.absent = Absent::zero_row;
  EXPECT_EQ(lower_rows(waves, {.width = 4}).absent, plan::Absent::zeros);
  waves.normalise = Normalise::tenth_of_deviation;
  EXPECT_EQ(refusal(waves, {.width = 4}),
            "[convention] normalise must be none: a mean over the whole table is not made, got tenth_of_deviation");
}

}  // namespace
}  // namespace posenc
