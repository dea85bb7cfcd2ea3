// SPDX-License-Identifier: Apache-2.0
// A pool that starts late.
#include "apps/posenc/cli/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

// In all: a thread takes some 20 us to start, and a short call should end before many have.
constexpr std::chrono::milliseconds worth_starting(10);
// Of a call on average. A block of 4 MiB of exact f32 takes 0.3 ms and then waits to be written, for 1 ms or more; the
// calls of a grid make less, and those of a picture one row.
constexpr std::chrono::microseconds worth_sharing(500);

// The jobs of a call from `first` on. They may lack memory, and jobs of a pool do not throw: what the first one throws
// is kept for the caller, and jobs that have not begun by then are left out.
struct Rest {
  void (*job)(void* context, std::int64_t index);
  void* context;
  std::int64_t first;
  std::atomic<bool> failed = false;
  std::exception_ptr failure = {};

  static void run(void* self, std::int64_t index) {
    Rest& rest = *static_cast<Rest*>(self);
    if (rest.failed) return;
    try {
      rest.job(rest.context, rest.first + index);
    } catch (...) {
      if (!rest.failed.exchange(true)) rest.failure = std::current_exception();
    }
  }
};

}  // namespace

int cpus() {
#if defined(__linux__)
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::min(CPU_COUNT(&set), most_threads);
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
    const Clock::time_point start = now_() - alone_;
    for (; done < count && alone_ < enough; alone_ = now_() - start) job(context, done++);
    if (done == count) return;
    this->start();
  }
  Rest rest{job, context, done};
  const Executor executor = pool_ ? pool_->executor() : serial;
  executor.run(executor.self, count - done, Rest::run, &rest);
  if (rest.failure) std::rethrow_exception(rest.failure);
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
