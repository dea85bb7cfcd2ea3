// SPDX-License-Identifier: Apache-2.0
// The pool runs every job once, shares what is worth sharing, sleeps when idle, and changes no bit of a result.
#include <gtest/gtest.h>
#include <posenc/pool.h>
#include <posenc/preset.h>
#include <posenc/sinusoid.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <set>
#include <thread>

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

TEST(Pool, ALargeCallIsShared) {
  const Pool pool(2);
  std::this_thread::sleep_for(5ms);  // asleep by now
  std::size_t most = 0;
  for (int i = 0; i < 100 && most < 2; ++i) most = threads_of(pool.executor(), 64, 500us).size();
  EXPECT_EQ(most, 2u);
}

TEST(Pool, ASmallCallWakesNobody) {
  const Pool pool(2);
  int alone = 0;
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(2ms);  // the worker sleeps, unless the machine kept it from falling asleep
    alone += threads_of(pool.executor(), 8, 1us).size() == 1;
  }
  EXPECT_GT(alone, 25);
}

TEST(Pool, ManySmallCallsInARowAreShared) {
  const Pool pool(2);
  std::this_thread::sleep_for(5ms);
  std::size_t most = 0;
  for (int i = 0; i < 20000 && most < 2; ++i) most = threads_of(pool.executor(), 8, 5us).size();
  EXPECT_EQ(most, 2u);
}

TEST(Pool, AnIdlePoolTakesNoTime) {
  const Pool pool(3);
  run(pool.executor(), 1000, [](std::int64_t) { busy(1us); });
  std::this_thread::sleep_for(20ms);
  const std::clock_t before = std::clock();  // of all threads of this process
  std::this_thread::sleep_for(300ms);
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.03);
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
    sinusoid(convention, Positions::range(-7, rows), view(shared.data(), {rows, width}), exact(), pool.executor());
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
