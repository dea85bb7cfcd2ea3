// SPDX-License-Identifier: Apache-2.0
// Threads of one call each, and those whose caller has left.
#include "bindings/python/apart.h"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <system_error>

namespace posenc::python {
namespace {

class Errand {
 public:
  Errand(std::function<void(const Executor&)> work, std::shared_ptr<void> held)
      : work_(std::move(work)), held_(std::move(held)), pool_(pool_of_this_process()) {}

  // `self` keeps the errand until its thread has ended.
  static void start(const std::shared_ptr<Errand>& self) {
    self->thread_ = std::thread([errand = self.get()] { errand->run(); });
  }
  bool has_ended_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [&] { return has_ended_; });
  }
  bool has_ended() { return has_ended_within(std::chrono::milliseconds(0)); }
  void stop() { is_stopped_ = true; }
  void join() { thread_.join(); }
  void throw_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }
  bool is_of_this_process() const { return process_ == getpid(); }

 private:
  void run() {
    try {
      work_({&Errand::run_jobs, this});
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    ended_.notify_all();
  }

  // Jobs that are left are not run once the caller has left.
  static void run_jobs(void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
    struct Jobs {
      const std::atomic<bool>& is_stopped;
      void (*job)(void*, std::int64_t);
      void* context;
    } jobs = {static_cast<Errand*>(self)->is_stopped_, job, context};
    const auto run_one = [](void* of, std::int64_t index) {
      const Jobs& all = *static_cast<Jobs*>(of);
      if (!all.is_stopped.load(std::memory_order_relaxed)) all.job(all.context, index);
    };
    const auto& pool = static_cast<Errand*>(self)->pool_;
    const Executor inner = pool ? pool->executor() : serial;
    inner.run(inner.self, count, run_one, &jobs);
  }

  std::function<void(const Executor&)> work_;
  std::shared_ptr<void> held_;
  std::shared_ptr<const Pool> pool_;
  std::exception_ptr failure_;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  pid_t process_ = getpid();
  std::thread thread_;
};
using ErrandPtr = std::shared_ptr<Errand>;

// Read and changed for a moment, with the GIL held where there is one.
struct Left {
  std::mutex mutex;
  std::vector<ErrandPtr> errands;
};
// Never destroyed: threads may outlive static objects.
Left& left() {
  static Left& made = *new Left;
  return made;
}

void leave(ErrandPtr errand) {
  const std::lock_guard lock(left().mutex);
  left().errands.push_back(std::move(errand));
}

// Those that `which` names, out of the list.
template <class Which>
std::vector<ErrandPtr> taken(const Which& which) {
  std::vector<ErrandPtr> some;
  const std::lock_guard lock(left().mutex);
  std::erase_if(left().errands, [&](ErrandPtr& errand) {
    if (!which(*errand)) return false;
    some.push_back(std::move(errand));
    return true;
  });
  return some;
}

// Whose thread nothing will end.
void forget(ErrandPtr errand) { static_cast<void>(*new ErrandPtr(std::move(errand))); }

// After fork the threads of the parent are not there.
void forget_parents() {
  for (ErrandPtr& errand : taken([](const Errand& of) { return !of.is_of_this_process(); })) forget(std::move(errand));
}

// Whether it ends before it is time to ask for signals. The GIL is free meanwhile.
bool ended_unseen(Errand& errand) {
  const nb::gil_scoped_release released;
  if (!errand.has_ended_within(between_looks)) return false;
  errand.join();
  return true;
}

void release_ended() {
  forget_parents();
  for (const ErrandPtr& errand : taken([](Errand& of) { return of.has_ended(); })) errand->join();
}

void wait_for_all() {
  forget_parents();
  bool is_interrupted = false;
  for (ErrandPtr& errand : taken([](const Errand&) { return true; })) {
    while (!is_interrupted && !ended_unseen(*errand)) is_interrupted = PyErr_CheckSignals() != 0;
    if (is_interrupted) forget(std::move(errand));
  }
  if (is_interrupted) throw nb::python_error();
}

}  // namespace

void run_apart(std::function<void(const Executor&)> work, std::shared_ptr<void> held) {
  release_ended();
  const auto errand = std::make_shared<Errand>(std::move(work), std::move(held));
  try {
    Errand::start(errand);
  } catch (const std::system_error& error) {
    throw Error(Problem{"threads", "a thread must be had", error.what(), {}, Cause::system});
  }
  while (!ended_unseen(*errand)) {
    if (PyErr_CheckSignals() == 0) continue;
    errand->stop();
    leave(errand);
    throw nb::python_error();
  }
  errand->throw_failure();
}

void bind_apart() { nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_all)); }

}  // namespace posenc::python
