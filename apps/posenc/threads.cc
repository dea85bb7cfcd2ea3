// SPDX-License-Identifier: Apache-2.0
// A pool that starts late.
#include "apps/posenc/threads.h"

#include <algorithm>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

#include "apps/posenc/signals.h"

namespace posenc::tool {
namespace {

using Clock = std::chrono::steady_clock;

// In all: a thread takes some 20 us to start, and a short call should end before many have.
constexpr std::chrono::milliseconds worth_starting(10);
// Of a call, which makes 4 MiB: exact f32 takes 0.3 ms, and what takes so little waits to be written, for 1 ms or more.
constexpr std::chrono::microseconds worth_sharing(500);

// The jobs of a call from `first` on.
struct Rest {
  void (*job)(void* context, std::int64_t index);
  void* context;
  std::int64_t first;

  static void run(void* self, std::int64_t index) {
    const Rest& rest = *static_cast<const Rest*>(self);
    rest.job(rest.context, rest.first + index);
  }
};

}  // namespace

int cpus() {
#if defined(__linux__)
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, most_threads);
}

Executor Threads::executor() {
  if (most_ == 1) return serial;
  return {[](void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
            static_cast<Threads*>(self)->run(count, job, context);
          },
          this};
}

void Threads::run(std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
  std::int64_t done = 0;
  if (!pool_ && most_ > 1) {
    const Clock::duration enough = std::max<Clock::duration>(worth_starting, ++calls_ * worth_sharing);
    const Clock::time_point start = Clock::now() - alone_;
    for (; done < count && alone_ < enough; alone_ = Clock::now() - start) job(context, done++);
    if (done == count) return;
    this->start();
  }
  Rest rest = {job, context, done};
  const Executor executor = pool_ ? pool_->executor() : serial;
  executor.run(executor.self, count - done, Rest::run, &rest);
}

void Threads::start() {
  const SignalsElsewhere guard;
  try {
    pool_ = std::make_unique<Pool>(most_);
  } catch (const std::exception&) {
    most_ = 1;  // the work gets done all the same
  }
}

}  // namespace posenc::tool
