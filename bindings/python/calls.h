// SPDX-License-Identifier: Apache-2.0
// How work is run: without the GIL, on the pool, and no longer than until a signal says stop.
#pragma once

#include <posenc/pool/pool.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include "bindings/python/errors.h"

namespace posenc::python {

/// Work of fewer elements keeps the GIL and the calling thread: handing over costs more than it takes.
inline constexpr std::int64_t worth_releasing = 4096;

/// How often Python is asked for signals.
inline constexpr std::chrono::milliseconds between_looks(10);

/// Threads of this process. A child of fork has none of its parent's: it makes its own.
void set_threads(std::int64_t count);
std::int64_t threads();

/// Nothing where one thread is enough.
std::shared_ptr<const Pool> pool_of_this_process();

/// An executor over the pool that asks Python for signals every 10 ms, on the calling thread. Once a handler has
/// raised, jobs that are left are not run, and the output is unspecified.
class Watch {
 public:
  Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  Executor executor() { return {&Watch::run, this}; }
  /// Of the calling thread, with the GIL.
  void raise_if_stopped() const;

 private:
  static void run(void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context);
  void look();

  using Clock = std::chrono::steady_clock;
  std::shared_ptr<const Pool> pool_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::optional<Clock::time_point> last_;  // begins with the first look: a short call asks no clock
  std::atomic<bool> stopped_ = false;
};

/// What make() gives, which takes long and knows no Python.
template <class Make>
auto without_gil(const Make& make) {
  const nb::gil_scoped_release released;
  return make();
}

/// work(executor), which returns a problem or nothing and may take long.
template <class Work>
void call(const Work& work) {
  Watch watch;
  std::optional<Problem> problem;
  {
    const nb::gil_scoped_release released;
    problem = work(watch.executor());
  }
  watch.raise_if_stopped();
  require(std::move(problem));
}
/// The same on so many elements, which may be few.
template <class Work>
void call(std::int64_t elements, const Work& work) {
  if (elements < worth_releasing) return require(work(serial));
  call(work);
}
}  // namespace posenc::python
