// SPDX-License-Identifier: Apache-2.0
// When the tool's executor shares its jobs, and that each is done once.
#include "apps/posenc/cli/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace posenc::tool {
namespace {

using namespace std::chrono_literals;

// Only pauses of jobs take time on the clock of these tests, however busy the machine is.
std::atomic<std::chrono::microseconds> paused = 0us;
Threads::Clock::time_point now() { return Threads::Clock::time_point(paused.load()); }

void run(const Executor& executor, std::vector<std::atomic<int>>& done, std::chrono::microseconds job_pause,
         std::set<std::thread::id>& threads) {
  struct Context {
    std::vector<std::atomic<int>>* done;
    std::chrono::microseconds job_pause;
    std::set<std::thread::id>* threads;
    std::mutex mutex = {};
  } context = {&done, job_pause, &threads};
  const auto job = [](void* self, std::int64_t index) {
    Context& c = *static_cast<Context*>(self);
    ++(*c.done)[static_cast<std::size_t>(index)];
    {
      const std::lock_guard lock(c.mutex);
      c.threads->insert(std::this_thread::get_id());
    }
    if (c.job_pause > 0us) std::this_thread::sleep_for(c.job_pause);
    paused = paused.load() + c.job_pause;
  };
  executor.run(executor.self, std::ssize(done), job, &context);
}

std::set<std::thread::id> threads_of(int most, std::size_t calls, std::size_t jobs,
                                     std::chrono::microseconds job_pause) {
  Threads threads(most, now);
  std::set<std::thread::id> seen;
  for (std::size_t call = 0; call < calls; ++call) {
    std::vector<std::atomic<int>> done(jobs);
    run(threads.executor(), done, job_pause, seen);
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
  }
  return seen;
}

TEST(Threads, ShareOneSlowCall) { EXPECT_EQ(threads_of(3, 1, 64, 2ms).size(), 3u); }

TEST(Threads, ShareManySlowCalls) { EXPECT_GT(threads_of(2, 40, 8, 300us).size(), 1u); }

TEST(Threads, StayAsideForQuickCalls) { EXPECT_EQ(threads_of(4, 100000, 8, 0us).size(), 1u); }

TEST(Threads, StayAsideForAFewMilliseconds) { EXPECT_EQ(threads_of(4, 1, 20, 200us).size(), 1u); }

TEST(Threads, StayAsideForManyCallsOfLittle) { EXPECT_EQ(threads_of(4, 50, 2, 120us).size(), 1u); }

TEST(Threads, BringOutWhatAJobThrows) {
  for (const int most : {1, 3}) {
    Threads threads(most);
    const Executor executor = threads.executor();
    std::atomic<int> begun = 0;
    const auto job = [](void* count, std::int64_t index) {
      ++*static_cast<std::atomic<int>*>(count);
      std::this_thread::sleep_for(1ms);
      if (index == 40) throw std::bad_alloc();
    };
    EXPECT_THROW(executor.run(executor.self, 100000, job, &begun), std::bad_alloc) << most;
    EXPECT_LT(begun, 100000) << most;
  }
}

TEST(Threads, AreNoMoreThanAsked) { EXPECT_EQ(threads_of(1, 1, 32, 1ms).size(), 1u); }

TEST(Threads, TakeACallWithoutJobs) { EXPECT_EQ(threads_of(2, 3, 0, 0us).size(), 0u); }

}  // namespace
}  // namespace posenc::tool
