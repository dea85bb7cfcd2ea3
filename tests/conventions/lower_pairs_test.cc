// SPDX-License-Identifier: Apache-2.0
// Which columns of a head turn together and by which angles, written out for small heads; magnitudes and decays.
//
// "0,2:a1" is the pair of columns 0 and 2, turned by axis a's coordinate times its frequency 1 (the letter is left out
// of the only axis and of a sum, "-" is angle 0); "0,1>0,4:0/2" writes columns 0 and 4 and has two angles.
#include <gtest/gtest.h>

#include "tests/conventions/lowered.h"
#include "tests/encodings/short_forms.h"
#include "tests/encodings/surroundings.h"

namespace posenc {
namespace {

using oracle::Value;
using test::adjacent_rotary;
using test::Counts;
using test::half_rotary;
using test::paper;
using test::refusal;

std::string text(const plan::Angle& angle, const Rotary& rotary) {
  if (angle.axis == plan::no_axis) return "-";
  const bool named = rotary.axes.size() > 1 && angle.axis != plan::every_axis;
  return (named ? rotary.axes.at(angle.axis) : "") + std::to_string(angle.frequency);
}
std::string text(const std::array<std::uint32_t, 2>& columns) {
  return std::to_string(columns[0]) + "," + std::to_string(columns[1]);
}
std::string text(const plan::Pair& pair, const Rotary& rotary) {
  return text(pair.read) + (pair.written == pair.read ? "" : ">" + text(pair.written)) + ":" +
         text(pair.angles[0], rotary) + (pair.angles[1] == pair.angles[0] ? "" : "/" + text(pair.angles[1], rotary));
}

// The pairs, or the rule that is broken.
std::string pairs_of(const Rotary& rotary, std::int64_t head) {
  const LoweredFor given = {.width = head};
  if (const std::string said = refusal(rotary, given); said != "nothing") return said;
  std::string all;
  for (const plan::Pair& pair : lower_pairs(rotary, given).pairs) all += (all.empty() ? "" : " ") + text(pair, rotary);
  return all;
}

struct Head {
  std::int64_t width;
  void (*change)(Rotary&);
  std::string expected;
};
void expect(const Rotary& plain, std::initializer_list<Head> heads) {
  for (const auto& [width, change, expected] : heads) {
    Rotary rotary = plain;
    change(rotary);
    EXPECT_EQ(pairs_of(rotary, width), expected) << width << ": " << to_string(Convention(rotary));
  }
}

Rotary of_axes(Rotary rotary, std::vector<std::string> axes) {
  rotary.axes = std::move(axes);
  return rotary;
}

// ---- one axis ------------------------------------------------------------------------------------

TEST(LowerPairs, AreAdjacentOrHalfARowApart) {
  expect(adjacent_rotary, {{4, [](Rotary&) {}, "0,1:0 2,3:1"},
                           {4, [](Rotary& r) { r.written = Written::split_half; }, "0,1>0,2:0 2,3>1,3:1"},
                           {8, [](Rotary& r) { r.angles = AnglesBy::column; }, "0,1:0/1 2,3:2/3 4,5:0/1 6,7:2/3"},
                           {6, [](Rotary& r) { r.angles = AnglesBy::column; }, "0,1:0/1 2,3:2/0 4,5:1/2"}});
  expect(half_rotary, {{6, [](Rotary&) {}, "0,3:0 1,4:1 2,5:2"},
                       {6, [](Rotary& r) { r.pairing_scope = PairingScope::run; }, "0,3:0 1,4:1 2,5:2"}});
}

TEST(LowerPairs, AreOfAPartOfTheHeadAtEitherEnd) {
  expect(
      half_rotary,
      {{8, [](Rotary& r) { r.part = 4; }, "0,2:0 1,3:1"},
       {8, [](Rotary& r) { r.part = 4, r.where = HeadEnd::last; }, "4,6:0 5,7:1"},
       {8, [](Rotary& r) { r.part = ColumnShare{0.5}; }, "0,2:0 1,3:1"},
       {10, [](Rotary& r) { r.part = ColumnShare{0.29}; }, "0,1:0"},
       {8, [](Rotary& r) { r.part = 10; }, "[convention] part must be 2 to 8 columns of a head, got 10"},
       {8, [](Rotary& r) { r.part = ColumnShare{0.1}; }, "[convention] part must be 2 to 8 columns of a head, got 0"}});
  expect(adjacent_rotary, {{6, [](Rotary& r) { r.part = 2, r.where = HeadEnd::last; }, "4,5:0"},
                           {8, [](Rotary& r) { r.part = 4, r.where = HeadEnd::last, r.written = Written::split_half; },
                            "4,5>4,6:0 6,7>5,7:1"}});
  Rotary share = half_rotary;
  share.part = ColumnShare{0.29};  // 0.29 * 100 is 28.999999999999996 in double
  EXPECT_EQ(lower_pairs(share, {.width = 100}).pairs.size(), 14u);
  for (const int mode : test::rounding_modes) {
    EXPECT_TRUE(test::survives(mode, [&] { EXPECT_EQ(refusal(share, {.width = 100}), "nothing"); })) << mode;
  }
}

TEST(LowerPairs, OfAnOddPartAreOneLessOrHaveOneAngleMore) {
  const auto five = [](Rotary& r) { r.part = 5; };
  expect(half_rotary, {{8, five, "[convention] width must be even, got 5"},
                       {8, [](Rotary& r) { r.part = 5, r.odd_width = OddRotated::down; }, "0,2:0 1,3:1"},
                       {8, [](Rotary& r) { r.part = 5, r.odd_width = OddRotated::up; }, "0,3:0 1,4:1 2,5:2"},
                       {8, [](Rotary& r) { r.part = 5, r.odd_width = OddRotated::up, r.where = HeadEnd::last; },
                        "2,5:0 3,6:1 4,7:2"},
                       {5, [](Rotary& r) { r.odd_width = OddRotated::up; },
                        "[convention] part must be 2 to 5 columns of a head, got 5"}});
  Rotary odd = half_rotary;
  odd.part = 5, odd.odd_width = OddRotated::up;  // exponents of width 5
  test::expect_frequencies(test::rounded(lower_pairs(odd, {.width = 8}).ladders[0]), 3,
                           [](Value k) { return pow(Value(10000), Value(0) - Value(2) * k / Value(5)); });
  odd.odd_width = OddRotated::down;  // of width 4
  test::expect_frequencies(test::rounded(lower_pairs(odd, {.width = 8}).ladders[0]), 2,
                           [](Value k) { return pow(Value(10000), Value(0) - k / Value(2)); });
}

// ---- several axes --------------------------------------------------------------------------------

TEST(LowerPairs, OfSeveralAxesStandInRunsOrRungs) {
  const auto by_run = [](Rotary& r) { r.pairing_scope = PairingScope::run; };
  const auto uneven = [](Rotary& r) { r.sections = Counts{1, 3}; };
  const auto uneven_runs = [](Rotary& r) { r.sections = Counts{1, 3}, r.pairing_scope = PairingScope::run; };
  const auto rungs = [](Rotary& r) { r.order = PairOrder::rung_major; };
  const Rotary two = of_axes(half_rotary, {"x", "y"}), flat = of_axes(adjacent_rotary, {"x", "y"});
  expect(two, {{8, [](Rotary&) {}, "0,4:x0 1,5:x1 2,6:y0 3,7:y1"},
               {8, by_run, "0,2:x0 1,3:x1 4,6:y0 5,7:y1"},
               {8, rungs, "0,4:x0 1,5:y0 2,6:x1 3,7:y1"},
               {8, uneven, "0,4:x0 1,5:y0 2,6:y1 3,7:y2"},
               {8, uneven_runs, "0,1:x0 2,5:y0 3,6:y1 4,7:y2"},
               {8, [](Rotary& r) { r.pairing_scope = PairingScope::run, r.order = PairOrder::rung_major; },
                "[convention] pairing_scope run must have own pairs of each axis, axis by axis, got another order"},
               {6, [](Rotary&) {}, "[convention] width must be a multiple of 4: each axis has as many pairs, got 6"}});
  expect(flat, {{8, [](Rotary&) {}, "0,1:x0 2,3:x1 4,5:y0 6,7:y1"},
                {8, rungs, "0,1:x0 2,3:y0 4,5:x1 6,7:y1"},
                {8, [](Rotary& r) { r.angles = AnglesBy::column; }, "0,1:x0/x1 2,3:x0/x1 4,5:y0/y1 6,7:y0/y1"},
                {12, [](Rotary& r) { r.angles = AnglesBy::column, r.sections = Counts{3, 3}; },
                 "0,1:x0/x1 2,3:x2/x0 4,5:x1/x2 6,7:y0/y1 8,9:y2/y0 10,11:y1/y2"},
                {8, [](Rotary& r) { r.angles = AnglesBy::column, r.order = PairOrder::rung_major; },
                 "[convention] angles by column must have own pairs of each axis, axis by axis, got another order"}});
}

TEST(LowerPairs, StayWithinTheHead) {
  expect(half_rotary, {{8, [](Rotary& r) { r.sections = Counts{8}; },
                        "[convention] sections must have 4 pairs for width 8, got 8"}});
  expect(
      of_axes(half_rotary, {"x", "y"}),
      {{8, [](Rotary& r) { r.sections = Counts{4, 4}; }, "[convention] sections must have 4 pairs for width 8, got 8"},
       {8, [](Rotary& r) { r.sections = Counts{1, 1}; }, "[convention] sections must have 4 pairs for width 8, got 2"},
       {6, [](Rotary& r) { r.sections = EqualUp{}; }, "[convention] sections must have 3 pairs for width 6, got 4"},
       {8, [](Rotary& r) { r.sections = AxisShares{{8, 0}, 4, "y"}; },
        "[convention] sections.shares must be at most `of` in all, got [8, 0]"}});
}

TEST(LowerPairs, AreDealtOrSummed) {
  Rotary dealt = of_axes(half_rotary, {"t", "y", "x"});
  dealt.rungs = Rungs::dealt, dealt.sections = Nothing{}, dealt.deal = {{{"t", "y", "x"}, 3}, {{"none"}, 1}};
  expect(dealt, {{8, [](Rotary& r) { r.order = PairOrder::rung_major; }, "0,4:t0 1,5:y1 2,6:x2 3,7:-"},
                 {6, [](Rotary&) {}, "[convention] stretches must have 3 pairs for width 6, got 4"}});
  dealt.deal = {{{"x", "t"}, 4}};
  expect(dealt, {{8, [](Rotary& r) { r.order = PairOrder::axis_major; }, "0,4:t1 1,5:t3 2,6:x0 3,7:x2"}});
  Rotary summed = of_axes(adjacent_rotary, {"x", "y"});
  summed.rungs = Rungs::summed, summed.sections = Nothing{};
  expect(summed, {{4, [](Rotary&) {}, "0,1:0 2,3:1"}});
  EXPECT_EQ(lower_pairs(summed, {.width = 4}).pairs[0].angles[0].axis, plan::every_axis);
  Rotary odd = half_rotary;
  odd.rungs = Rungs::dealt, odd.sections = Nothing{}, odd.deal = {{{"position"}, 3}}, odd.odd_width = OddRotated::up;
  odd.part = 5;
  EXPECT_EQ(pairs_of(odd, 8), "[convention] width must be even where pairs are dealt, got 5");
}

// ---- turn, magnitude, decay ----------------------------------------------------------------------

TEST(LowerPairs, TurnForwardOrBackward) {
  Rotary rotary = half_rotary;
  EXPECT_EQ(lower_pairs(rotary, {.width = 4}).turning, plan::Turning::forward);
  rotary.turn = TurnTo::backward;
  EXPECT_EQ(lower_pairs(rotary, {.width = 4}).turning, plan::Turning::backward);
}

double magnitude(const Magnitude& of) {
  Rotary rotary = half_rotary;
  rotary.magnitude = of;
  EXPECT_EQ(refusal(rotary, {.width = 4}), "nothing");
  return test::rounded(lower_pairs(rotary, {.width = 4}).magnitude);
}

// m(c) = 1 + 0.1 c ln s
TEST(LowerMagnitude, OfYarnIsAQuotientOrOneGain) {
  const auto m = [](double gain, double s) { return Value(1) + Value(gain) / Value(10) * log(Value(s)); };
  const auto rounded = [](const Value& x) { return oracle::rounded(x, oracle::f64); };
  EXPECT_EQ(magnitude(YarnMagnitude{40, 1, 1}), 1);
  EXPECT_EQ(magnitude(YarnMagnitude{40, 0.707, 1}), rounded(m(0.707, 40) / m(1, 40)));
  EXPECT_EQ(magnitude(YarnMagnitude{32, 0, 0}), rounded(m(1, 32)));
  EXPECT_EQ(magnitude(YarnMagnitude{32, 0.707, 0}), rounded(m(1, 32)));
  EXPECT_EQ(magnitude(YarnMagnitude{2.5, 0, 0.707}), rounded(m(1, 2.5)));
  EXPECT_EQ(magnitude(YarnMagnitude{1, 0.707, 1}), 1);
  EXPECT_EQ(magnitude(YarnMagnitude{0.5, 0, 0}), 1);
  EXPECT_EQ(magnitude(0.3), 0.3);
}

TEST(LowerMagnitude, OfLongRopeIsARoot) {
  for (const auto& [factor, length] : {std::pair{32.0, 4096}, {64.0, 2}, {4.1, 131072}}) {
    EXPECT_EQ(magnitude(LongRopeMagnitude{factor, length}),
              oracle::rounded(sqrt(Value(1) + log(Value(factor)) / log(Value(length))), oracle::f64));
  }
  EXPECT_EQ(magnitude(LongRopeMagnitude{1, 1}), 1);
  Rotary rotary = half_rotary;
  rotary.magnitude = LongRopeMagnitude{32, 1};
  EXPECT_EQ(refusal(rotary, {.width = 4}), "[convention] length of a longrope magnitude must be 2 or more, got 1");
}

// z_k = (2k / r + floor) / (1 + floor)
TEST(LowerDecay, HasAFactorForEachPair) {
  Rotary rotary = adjacent_rotary;
  rotary.decay = PairDecay{0.4, 512}, rotary.part = 6;
  const plan::Decay decay = *lower_pairs(rotary, {.width = 10, .context = {.centre = 7.5}}).decay;
  test::expect_frequencies(
      test::rounded(plan::Ladder{std::vector<numerics::Real>(decay.factors.begin(), decay.factors.end())}), 3,
      [](Value k) { return (Value(2) * k / Value(6) + Value(0.4)) / (Value(1) + Value(0.4)); });
  EXPECT_EQ(decay.centre, numerics::Rational(7.5));
  EXPECT_EQ(decay.period, numerics::Rational(512));
  EXPECT_EQ(refusal(rotary, {.width = 10}), "[convention] centre must be stated: the decay counts from it, got none");
  rotary.part = AllColumns{};
  EXPECT_EQ(refusal(of_axes(rotary, {"x", "y"}), {.width = 8, .context = {.centre = 0}}),
            "[convention] a decay must be of one axis, got 2");
}

}  // namespace
}  // namespace posenc
