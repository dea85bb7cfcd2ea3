// SPDX-License-Identifier: Apache-2.0
// Threads and signals.
#include "bindings/python/calls.h"

#include <pthread.h>

#include <mutex>

namespace posenc::python {
namespace {

// Read and changed under its mutex, for a moment, and with the GIL held where there is one: so no other thread can hold
// it while a process forks.
struct Threads {
  std::mutex mutex;
  int count = 1;
  std::shared_ptr<const Pool> pool;  // made by the first call that needs it
  std::atomic<bool> is_parents = false;
};

// Never destroyed: the end of a process, or of a forked one, is no moment to wait for threads.
Threads& make_shared_threads() {
  static Threads& made = *new Threads;
  pthread_atfork(nullptr, nullptr, [] { made.is_parents = true; });
  return made;
}
Threads& shared() {
  static Threads& threads = make_shared_threads();
  return threads;
}

// After fork the threads of the pool are not there, and its destruction would wait for them: it is left as it is.
void leave_parents(Threads& threads) {
  if (!threads.is_parents) return;
  if (threads.pool) static_cast<void>(*new std::shared_ptr<const Pool>(std::move(threads.pool)));
  threads.pool.reset();
  threads.is_parents = false;
}

}  // namespace

std::shared_ptr<const Pool> pool_of_this_process() {
  Threads& threads = shared();
  const std::lock_guard lock(threads.mutex);
  leave_parents(threads);
  if (threads.count > 1 && !threads.pool) threads.pool = std::make_shared<const Pool>(threads.count);
  return threads.pool;
}

void set_threads(std::int64_t count) {
  if (count < 1 || count > 1024) refuse("set_threads", "threads must be 1 to 1024", std::to_string(count));
  Threads& threads = shared();
  std::shared_ptr<const Pool> old;  // its threads end when the last call that uses them has ended
  {
    const std::lock_guard lock(threads.mutex);
    leave_parents(threads);
    if (count != threads.count) old.swap(threads.pool);
    threads.count = static_cast<int>(count);
  }
}

std::int64_t threads() {
  const std::lock_guard lock(shared().mutex);
  return shared().count;
}

Watch::Watch() : pool_(pool_of_this_process()) {}

void Watch::run(void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
  struct Watched {
    Watch& watch;
    void (*job)(void*, std::int64_t);
    void* context;
    std::int64_t last;
  } watched = {*static_cast<Watch*>(self), job, context, count - 1};
  const auto run_one = [](void* of, std::int64_t index) {
    const Watched& w = *static_cast<Watched*>(of);
    if (w.watch.stopped_.load(std::memory_order_relaxed)) return;
    w.job(w.context, index);
    if (index != w.last) w.watch.look();
  };
  const Executor inner = watched.watch.pool_ ? watched.watch.pool_->executor() : serial;
  inner.run(inner.self, count, run_one, &watched);
}

void Watch::look() {
  if (std::this_thread::get_id() != caller_) return;
  const Clock::time_point now = Clock::now();
  if (!last_) last_ = now;
  if (now - *last_ < between_looks) return;
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) stopped_ = true;
  last_ = Clock::now();
}

void Watch::raise_if_stopped() const {
  if (stopped_) throw nb::python_error();
}

}  // namespace posenc::python
