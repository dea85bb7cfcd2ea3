// SPDX-License-Identifier: Apache-2.0
// A row is judged by the floor of this CPU and of its number of threads.
#include "bench/verdict.h"

#include <gtest/gtest.h>

namespace posenc::bench {
namespace {

// A cell in which the ceiling takes `ceiling` and the work `work` seconds, in every round.
Cell cell(int threads, double ceiling, double work) {
  const double ratio = ceiling / work;
  return {threads, 5, 5, {work, work, work}, {ceiling, ceiling, ceiling}, {ratio, ratio, ratio}};
}

// The same, with a bare loop that takes `bare` seconds.
Cell cell(int threads, double ceiling, double work, double bare) {
  Cell made = cell(threads, ceiling, work);
  const double ratio = ceiling / bare, of_bare = bare / work;
  made.bare_seconds = {bare, bare, bare};
  made.bare_ratio = {ratio, ratio, ratio};
  made.of_bare = {of_bare, of_bare, of_bare};
  return made;
}

Row row(Floor one, Floor two) { return {"work", "1", Ceiling::store, one, two, nullptr}; }

TEST(Verdict, AShareIsOfTheCeilingOfTheSameThreads) {
  const Measured measured = {1, {cell(1, 1, 2), cell(2, 0.8, 1.6)}, 0};  // both at half of their ceilings
  const auto found = verdicts(row(share(0.5, 0.6), share(0.51, 0.4)), measured, nullptr, true);
  EXPECT_EQ(found[0].kind, Verdict::Kind::ok);
  EXPECT_EQ(found[1].kind, Verdict::Kind::shortfall);
  EXPECT_EQ(found[1].floor, 0.51);
}

TEST(Verdict, WithoutAvx512TheOtherNumberCounts) {
  const Measured measured = {1, {cell(1, 1, 2)}, 0};
  EXPECT_EQ(verdicts(row(share(0.5, 0.6), no_floor), measured, nullptr, false)[0].kind, Verdict::Kind::shortfall);
  EXPECT_EQ(verdicts(row(share(0.6, 0.5), no_floor), measured, nullptr, false)[0].kind, Verdict::Kind::ok);
}

TEST(Verdict, TwoThreadsOweNoMoreThanNineteenTenthsOfOne) {
  // Twice the bandwidth on two threads: 0.95 of 0.5 s would ask 1.25 s of work to end in 0.526 s, 2.4 times as fast.
  const Measured fast = {1, {cell(1, 1, 1.25), cell(2, 0.5, 1.25 / 1.91)}, 0};
  const auto found = verdicts(row(no_floor, share(0.95)), fast, nullptr, true);
  EXPECT_DOUBLE_EQ(found[1].floor, 1.9 * 0.5 / 1.25);
  EXPECT_EQ(found[1].kind, Verdict::Kind::ok);
  const Measured slow = {1, {cell(1, 1, 1.25), cell(2, 0.5, 1.25 / 1.89)}, 0};
  EXPECT_EQ(verdicts(row(no_floor, share(0.95)), slow, nullptr, true)[1].kind, Verdict::Kind::shortfall);
}

TEST(Verdict, AShareOfOneThreadsCeilingIsShownAsOneOfTwo) {
  const Measured measured = {1, {cell(1, 1, 5), cell(2, 0.5, 2.5)}, 0};
  const Floor floor = {Floor::Kind::share_of_one_thread, 0.3, 0.3};
  const auto found = verdicts(row(no_floor, floor), measured, nullptr, true);
  EXPECT_DOUBLE_EQ(found[1].floor, 0.15);  // 1 s / 0.3 = 3.33 s, which is 0.15 of 0.5 s
  EXPECT_EQ(found[1].kind, Verdict::Kind::ok);
}

TEST(Verdict, ATimeIsAMost) {
  const Measured measured = {1, {cell(1, 1, 2)}, 0};
  const auto short_of = verdicts(row(at_most(1.9, 3), no_floor), measured, nullptr, true);
  EXPECT_EQ(short_of[0].kind, Verdict::Kind::shortfall);
  EXPECT_TRUE(short_of[0].in_seconds);
  EXPECT_EQ(verdicts(row(at_most(1.9, 3), no_floor), measured, nullptr, false)[0].kind, Verdict::Kind::ok);
}

TEST(Verdict, GrowthCountsFromTheRowBeforeAndNeedsOne) {
  const Floor floor = {Floor::Kind::share_of_last, 0.9, 0.9};
  const Measured half = {1, {cell(1, 1, 2)}, 0}, kept = {1, {cell(1, 1, 2.2)}, 0}, fell = {1, {cell(1, 1, 2.3)}, 0};
  EXPECT_EQ(verdicts(row(floor, floor), half, nullptr, true)[0].kind, Verdict::Kind::none);
  EXPECT_EQ(verdicts(row(floor, floor), kept, &half, true)[0].kind, Verdict::Kind::ok);
  EXPECT_EQ(verdicts(row(floor, floor), fell, &half, true)[0].kind, Verdict::Kind::shortfall);
}

TEST(Verdict, AFloorThatTheBareLoopMissesTooIsALimitForWhoIsNextToIt) {
  const auto kind = [](double work, double bare) {
    const Measured measured = {1, {cell(1, 1, work, bare)}, 0};
    return verdicts(row(share(0.8), no_floor), measured, nullptr, true)[0].kind;
  };
  EXPECT_EQ(kind(1 / 0.79, 1 / 0.81), Verdict::Kind::shortfall);  // the bare loop is there
  EXPECT_EQ(kind(1 / 0.76, 1 / 0.79), Verdict::Kind::limit);      // 0.96 of it
  EXPECT_EQ(kind(1 / 0.74, 1 / 0.79), Verdict::Kind::shortfall);  // 0.94
  EXPECT_EQ(kind(1 / 0.81, 1 / 0.79), Verdict::Kind::ok);         // a floor that is reached is no limit
}

TEST(Verdict, TheBareLoopOfTwoThreadsMeetsTheFloorOfTwo) {
  // On one thread 0.5 of the ceiling, so two owe 1.9 times that: 0.95 of a ceiling that is as fast on both.
  const Measured measured = {1, {cell(1, 1, 2, 2), cell(2, 1, 1.1, 1.06)}, 0};
  const auto found = verdicts(row(no_floor, share(0.97)), measured, nullptr, true);
  EXPECT_DOUBLE_EQ(found[1].floor, 0.95);
  EXPECT_EQ(found[1].kind, Verdict::Kind::limit);
  const Measured reached = {1, {cell(1, 1, 2, 2), cell(2, 1, 1.1, 1.05)}, 0};
  EXPECT_EQ(verdicts(row(no_floor, share(0.97)), reached, nullptr, true)[1].kind, Verdict::Kind::shortfall);
}

TEST(Verdict, ATimeMayBeALimitToo) {
  const Measured measured = {1, {cell(1, 1, 2.1, 2)}, 0};
  EXPECT_EQ(verdicts(row(at_most(1.9, 3), no_floor), measured, nullptr, true)[0].kind, Verdict::Kind::limit);
  EXPECT_EQ(verdicts(row(at_most(2.05, 3), no_floor), measured, nullptr, true)[0].kind, Verdict::Kind::shortfall);
}

TEST(Verdict, MemoryBeyondTheLimitIsAShortfall) {
  Row limited = row(no_floor, no_floor);
  limited.memory = 100;
  const Measured measured = {1, {cell(1, 1, 2)}, 101};
  EXPECT_EQ(verdicts(limited, measured, nullptr, true)[0].kind, Verdict::Kind::shortfall);
}

}  // namespace
}  // namespace posenc::bench
