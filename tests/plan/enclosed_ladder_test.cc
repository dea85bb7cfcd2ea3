// SPDX-License-Identifier: Apache-2.0
// Enclosures of whole ladders beside each entry's closed form, which takes none of the entries before it.
#include "src/plan/enclosed_ladder.h"

#include <gtest/gtest.h>

#include "src/numerics/evaluate.h"
#include "src/plan/rounded_ladder.h"

namespace posenc::plan {
namespace {

using numerics::Enclosure;
using numerics::fraction;
using numerics::Rational;
using numerics::Real;

const Rule falling = {1, {{10000, fraction(-1, 32)}}, 32};
const Rule of_turns = {numerics::pi_to_the(1), {{2, 1}}, 12};
const Rule natural = {Real(fraction(-1, 3)) * numerics::logarithm(Rational(10000)), {}, 12, 1};
const Real turn = Real(4096) * numerics::pi_to_the(-1);
const Real low = numerics::quotient(Real(32) * numerics::logarithm(Real(7) * numerics::pi_to_the(-1)),
                                    numerics::logarithm(Rational(10000)));

struct Case {
  const char* name;
  Ladder ladder;
};
const Case cases[] = {
    {"falling", {falling}},
    {"negative, natural", {natural}},
    {"turns", {of_turns}},
    {"values", {Values{{1, 0.1, -3.5, 1e-300, 1e10}, numerics::pi_to_the(1)}}},
    {"divided", {Scaled{falling, {{20, Real(1)}, {32, Real(fraction(1, 8))}}}}},
    {"ramp over indices",
     {Scaled{falling,
             {{5, Real(1)}, {20, Ramp{Ramp::Over::index, 1, 4, 20, 1, fraction(1, 8)}}, {32, fraction(1, 8)}}}}},
    {"ramp between formulas",
     {Scaled{falling, {{32, Ramp{Ramp::Over::index, 1, low, low + Real(9), 1, fraction(1, 8)}}}}}},
    {"ramp over entries",
     {Scaled{falling, {{9, Real(1)}, {32, Ramp{Ramp::Over::entry, turn, 1, 4, fraction(1, 8), 1}}}}}},
    {"even", {Scaled{{numerics::pi_to_the(1), {}, 17}, {{17, Ramp{Ramp::Over::index, 1, 0, 16, 1, 5}}}}}},
    {"picked", only({3, 4, 11, 30}, {Scaled{falling, {{10, Real(1)}, {32, Real(fraction(1, 40))}}}})},
};

// Do they hold a number in common?
bool meet(const Enclosure& a, const Enclosure& b) {
  Enclosure minus = b;
  minus.negative = !minus.negative;
  const Enclosure difference = numerics::add(a, minus, 2048);
  return numerics::sign(difference) == 0;
}

TEST(EnclosedLadder, HoldsEachEntryTightly) {
  for (const Real& times : {Real(1), Real(fraction(-3, 2)) * numerics::pi_to_the(-1)}) {
    for (const auto& [name, ladder] : cases) {
      const std::vector<Enclosure> all = enclosed(ladder, times);
      ASSERT_EQ(all.size(), ladder.size()) << name;
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_GE(numerics::correct_bits(all[k]), 256) << name << " " << k;
        EXPECT_TRUE(meet(all[k], numerics::enclose(ladder[k] * times, 1024))) << name << " " << k;
      }
    }
  }
}

// An entry that is off by one in 2^240 is found: what the test above compares is not too wide.
TEST(EnclosedLadder, OfAnotherNumberDoesNotMeet) {
  for (const auto& [name, ladder] : cases) {
    const Real off = ladder[1] * (Real(1) + Real(numerics::power(Rational(2), -240)));
    EXPECT_FALSE(meet(enclosed(ladder, 1)[1], numerics::enclose(off, 1024))) << name;
  }
}

TEST(EnclosedLadder, LeavesZerosToTheirForm) {
  const Ladder ladder = {Scaled{falling, {{4, Real(1)}, {32, Real()}}}};
  EXPECT_EQ(numerics::sign(enclosed(ladder, 1)[7]), 0);
  EXPECT_TRUE(ladder[7].zero());
  const std::vector<SignedTurn> turns = signed_turns(ladder, 1);
  ASSERT_EQ(turns.size(), 32u);
  EXPECT_TRUE(turns[7].w.zero());
  EXPECT_FALSE(turns[3].w.zero());
}

TEST(EnclosedLadder, SignsStandBesideTurns) {
  const Ladder ladder = {Values{{1, -1, 0, 2}, 1}};
  const std::vector<SignedTurn> turns = signed_turns(ladder, -3);
  ASSERT_EQ(turns.size(), 4u);
  EXPECT_TRUE(turns[0].negative);
  EXPECT_FALSE(turns[1].negative);
  EXPECT_TRUE(turns[2].w.zero());
  EXPECT_EQ(turns[3].w.exponent, turns[0].w.exponent + 1);
}

// Each beside its own exact form.
TEST(EnclosedLadder, RoundsScaledEntriesAsTheirForms) {
  for (const auto& [name, ladder] : cases) {
    std::vector<double> all;
    ASSERT_TRUE(append_rounded(ladder, all)) << name;
    for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(all[k], numerics::rounded<double>(ladder[k])) << name << k;
  }
}

TEST(LadderForms, AnEvenLadderHasItsEnds) {
  const Ladder& even = cases[8].ladder;
  EXPECT_EQ(even[0], numerics::pi_to_the(1));
  EXPECT_EQ(even[16], Real(5) * numerics::pi_to_the(1));
  EXPECT_EQ(even[4], Real(2) * numerics::pi_to_the(1));
}

TEST(LadderForms, APartHasItsEntries) {
  const Ladder whole = {falling}, part = only({2, 5}, whole);
  ASSERT_EQ(part.size(), 2u);
  EXPECT_EQ(part[1], whole[5]);
  EXPECT_EQ(only({}, whole).size(), 0u);
}

}  // namespace
}  // namespace posenc::plan
