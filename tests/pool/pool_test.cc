// SPDX-License-Identifier: Apache-2.0
// The pool runs every job once, shares what is worth sharing, sleeps when idle, and changes no bit of a result.
#include <gtest/gtest.h>
#include <posenc/pool/pool.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "src/pool/seam.h"

namespace posenc {
namespace {

using namespace std::chrono_literals;

// Runs `job(index)` for every index below the count.
template <class Job>
void run(const Executor& executor, std::int64_t count, const Job& job) {
  const auto call = [](void* context, std::int64_t index) { (*static_cast<const Job*>(context))(index); };
  executor.run(executor.self, count, call, const_cast<Job*>(&job));
}

void busy(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

std::set<std::thread::id> threads_of(const Executor& executor, std::int64_t count, std::chrono::microseconds work) {
  std::vector<std::thread::id> who(static_cast<std::size_t>(count));
  run(executor, count, [&](std::int64_t i) {
    busy(work);
    who[static_cast<std::size_t>(i)] = std::this_thread::get_id();
  });
  return {who.begin(), who.end()};
}

TEST(Pool, RunsEveryJobOnce) {
  for (const int threads : {1, 2, 3, 7}) {
    const Pool pool(threads);
    for (const std::int64_t count : {0, 1, 2, 3, 7, 64, 10007}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
      run(pool.executor(), count, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& n : runs) ASSERT_EQ(n, 1) << threads << " threads, " << count << " jobs";
    }
  }
}

TEST(Pool, WhatJobsWroteIsThereAfterTheCall) {
  const Pool pool(3);
  std::vector<std::int64_t> squares(1000);
  for (int round = 0; round < 200; ++round) {
    run(pool.executor(), 1000, [&](std::int64_t i) { squares[static_cast<std::size_t>(i)] = i * i + round; });
    for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(squares[static_cast<std::size_t>(i)], i * i + round);
  }
}

TEST(Pool, OneJobOrOneThreadStaysWithTheCaller) {
  const std::set caller = {std::this_thread::get_id()};
  EXPECT_EQ(threads_of(Pool(4).executor(), 1, 1ms), caller);
  EXPECT_EQ(threads_of(Pool(1).executor(), 50, 1us), caller);
}

// ---- who sleeps and who is woken, by a clock that only the test and its jobs move ------------------

std::atomic<PoolSeam::Time> test_time;

void pass(std::chrono::microseconds time) {
  PoolSeam::Time before = test_time;
  while (!test_time.compare_exchange_weak(before, before + time)) {
  }
}

// Waits until it holds; no more than a minute, against hanging.
template <class Condition>
bool comes_true(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + 1min;
  while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  return condition();
}

// Lets the test's time pass until all workers sleep.
bool fall_asleep(const Pool& pool, int workers) {
  return comes_true([&] {
    pass(1ms);
    return PoolSeam::asleep(pool) == workers;
  });
}

void take_the_tests_clock(const Pool& pool) {
  test_time = std::chrono::steady_clock::now();
  PoolSeam::set_clock(pool, [] { return test_time.load(); });
}

// `count` jobs of that time each, and how many workers they woke; returns when these are awake.
std::int64_t woken_by(const Pool& pool, std::int64_t count, std::chrono::microseconds time) {
  const std::int64_t before = PoolSeam::wake_ups(pool), looks = PoolSeam::looks(pool);
  run(pool.executor(), count, [&](std::int64_t) { pass(time); });
  const std::int64_t woken = PoolSeam::wake_ups(pool) - before;
  EXPECT_TRUE(comes_true([&] { return PoolSeam::looks(pool) >= looks + woken; }));
  return woken;
}

// Calls of so many jobs of that time until one runs elsewhere.
bool is_shared(const Pool& pool, std::int64_t count, std::chrono::microseconds time) {
  std::atomic<bool> elsewhere = false;
  return comes_true([&, caller = std::this_thread::get_id()] {
    run(pool.executor(), count, [&](std::int64_t) {
      pass(time);
      if (std::this_thread::get_id() != caller) elsewhere = true;
    });
    return elsewhere.load();
  });
}

TEST(Pool, ALargeCallIsShared) {
  const Pool pool(2);
  take_the_tests_clock(pool);
  ASSERT_TRUE(fall_asleep(pool, 1));
  std::atomic<bool> elsewhere = false, waited = true;
  run(pool.executor(), 64, [&, caller = std::this_thread::get_id()](std::int64_t index) {
    pass(50us);
    if (std::this_thread::get_id() != caller) elsewhere = true;
    if (index == 1) waited = comes_true([&] { return elsewhere.load(); });  // the caller's second job
  });
  EXPECT_TRUE(elsewhere && waited);
  EXPECT_EQ(PoolSeam::wake_ups(pool), 1);
}

TEST(Pool, ARestOf100MicrosecondsWakesAndASmallerOneWakesNobody) {
  const Pool pool(3);
  take_the_tests_clock(pool);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(fall_asleep(pool, 2));
    ASSERT_EQ(woken_by(pool, 8, 1us), 0);
    ASSERT_TRUE(fall_asleep(pool, 2));
    ASSERT_EQ(woken_by(pool, 2, 99us), 0);
    ASSERT_TRUE(fall_asleep(pool, 2));
    ASSERT_EQ(woken_by(pool, 2, 100us), 1);  // there is one job left
    ASSERT_TRUE(fall_asleep(pool, 2));
    ASSERT_EQ(woken_by(pool, 3, 50us), 2);
  }
}

TEST(Pool, ManySmallCallsInARowAreShared) {
  const Pool pool(2);
  take_the_tests_clock(pool);
  ASSERT_TRUE(fall_asleep(pool, 1));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(woken_by(pool, 8, 1us), 0) << i;
  EXPECT_EQ(woken_by(pool, 8, 1us), 1);  // the burst has gone on for 100 us
  EXPECT_TRUE(is_shared(pool, 8, 1us));
}

// A thread that has done its part of a long call sleeps before the caller has done its own.
TEST(Pool, ACallRightAfterALongOneIsSharedFromItsFirstJob) {
  const Pool pool(2);
  take_the_tests_clock(pool);
  ASSERT_TRUE(fall_asleep(pool, 1));
  std::atomic<bool> last = false, elsewhere = false, slept = false;
  run(pool.executor(), 3, [&, caller = std::this_thread::get_id()](std::int64_t index) {
    pass(50us);
    if (std::this_thread::get_id() != caller) {
      elsewhere = comes_true([&] { return last.load(); });  // the caller has its second job
    } else if (index == 1) {
      last = true;
      slept = comes_true([&] { return elsewhere.load(); }) && fall_asleep(pool, 1);
    }
  });
  ASSERT_TRUE(slept);
  const std::int64_t before = PoolSeam::wake_ups(pool);
  std::atomic<std::int64_t> at_first = 0;
  run(pool.executor(), 2, [&](std::int64_t index) {
    if (index == 0) at_first = PoolSeam::wake_ups(pool) - before;
  });
  EXPECT_EQ(at_first, 1);
}

TEST(Pool, ACallOfTwoJobsInABurstWakesOne) {
  const Pool pool(4);
  take_the_tests_clock(pool);
  ASSERT_TRUE(fall_asleep(pool, 3));
  run(pool.executor(), 2, [](std::int64_t) { pass(60us); });  // its rest is too short to wake for
  EXPECT_EQ(woken_by(pool, 2, 0us), 1);
}

TEST(Pool, ABurstEndsWithAPause) {
  const Pool pool(2);
  take_the_tests_clock(pool);
  ASSERT_TRUE(fall_asleep(pool, 1));
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(woken_by(pool, 8, 1us), 0) << i;
    pass(201us);
  }
  EXPECT_EQ(PoolSeam::asleep(pool), 1);
}

TEST(Pool, AnIdlePoolTakesNoTime) {
  const Pool pool(3);
  run(pool.executor(), 1000, [](std::int64_t) { busy(1us); });
  ASSERT_TRUE(comes_true([&] { return PoolSeam::asleep(pool) == 2; }));  // by the clock of every pool
  const std::int64_t looks = PoolSeam::looks(pool);
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(PoolSeam::looks(pool), looks);  // nobody woke, not even to look and sleep again
  EXPECT_EQ(PoolSeam::asleep(pool), 2);
}

TEST(Pool, JobsMayCallTheirOwnPool) {
  const Pool pool(3);
  std::atomic<int> sum = 0;
  run(pool.executor(), 20, [&](std::int64_t) {
    run(pool.executor(), 20, [&](std::int64_t) { run(pool.executor(), 5, [&](std::int64_t) { ++sum; }); });
  });
  EXPECT_EQ(sum, 20 * 20 * 5);
}

// A worker that sleeps, wakes and looks for an index while the last one is a call itself must not keep others from it.
TEST(Pool, CallsInLastJobsDoNotWaitForWorkersThatFindNothing) {
  const Pool pool(3);
  std::atomic<int> sum = 0;
  for (int round = 0; round < 2000; ++round) {
    run(pool.executor(), 2, [&](std::int64_t) { run(pool.executor(), 2, [&](std::int64_t) { ++sum; }); });
  }
  EXPECT_EQ(sum, 2000 * 2 * 2);
}

TEST(Pool, SeveralThreadsMayCallAtOnce) {
  const Pool pool(3);
  std::vector<std::int64_t> sums(4);
  std::vector<std::thread> callers;
  for (std::int64_t& sum : sums) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        std::atomic<std::int64_t> total = 0;
        run(pool.executor(), 100, [&](std::int64_t i) { total += i; });
        sum += total;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const std::int64_t sum : sums) EXPECT_EQ(sum, 200 * 4950);
}

// A child of fork has none of the threads: it makes a pool of its own, and may leave the other one alone.
TEST(Pool, AChildOfForkMakesAnother) {
  const Pool pool(3);
  run(pool.executor(), 100, [](std::int64_t) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::atomic<std::int64_t> sum = 0;
    {
      const Pool own(3);
      for (int round = 0; round < 20; ++round) run(own.executor(), 100, [&](std::int64_t i) { sum += i; });
    }
    _exit(sum == 20 * 4950 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::atomic<std::int64_t> sum = 0;
  run(pool.executor(), 100, [&](std::int64_t i) { sum += i; });  // the parent's goes on
  EXPECT_EQ(sum, 4950);
}

TEST(Pool, EndsWhetherUsedOrNot) {
  for (int i = 0; i < 50; ++i) {
    const Pool unused(4);
    const Pool used(4);
    run(used.executor(), 8, [](std::int64_t) {});
  }
}

void expect_the_same_table(std::int64_t rows) {
  constexpr std::int64_t width = 66;
  const Convention& convention = preset("transformer").convention;
  std::vector<float> expected(static_cast<std::size_t>(rows * width)), shared(expected.size());
  sinusoid(convention, Positions::range(-7, rows), view(expected.data(), {rows, width}));
  for (const int threads : {2, 3, 7}) {
    const Pool pool(threads);
    std::fill(shared.begin(), shared.end(), 2.0f);
    sinusoid(convention, Positions::range(-7, rows), view(shared.data(), {rows, width}), {.executor = pool.executor()});
    EXPECT_EQ(std::memcmp(shared.data(), expected.data(), sizeof(float) * expected.size()), 0)
        << rows << " rows, " << threads << " threads";
  }
}

TEST(Pool, ATableHasTheSameBits) {
  expect_the_same_table(3001);
  for (const std::int64_t rest : {1, 16, 17}) expect_the_same_table(1156 + rest);  // 1156 rows are a part
}

TEST(Pool, RefusesANumberOfThreads) {
  EXPECT_EQ(Pool::check(1), std::nullopt);
  EXPECT_EQ(Pool::check(1024), std::nullopt);
  EXPECT_EQ(Pool::check(0)->message(), "[pool] threads must be 1 to 1024, got 0");
  EXPECT_EQ(Pool::check(1025)->message(), "[pool] threads must be 1 to 1024, got 1025");
  EXPECT_THROW(Pool(-1), Error);
}

}  // namespace
}  // namespace posenc
