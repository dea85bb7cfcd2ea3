// SPDX-License-Identifier: Apache-2.0
// The pool: open calls in a list, indices claimed from an atomic counter, two conditions to sleep on.
//
// A caller goes up from its first index, helpers go down from the last one: from call to call, most outputs are written
// by the thread in whose caches they still are. A line takes several times longer from another core's.
#include "src/pool/seam.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "src/base/environment.h"

namespace posenc {
namespace {

using Clock = std::chrono::steady_clock;

// A sleeping thread comes some 60 us after it is called: with less work than this it comes too late.
constexpr Clock::duration worth_waking = std::chrono::microseconds(100);
// How long a thread watches before it sleeps. Calls that follow each other faster than this find it awake, so they
// count as one piece of work: a burst.
constexpr Clock::duration patience = std::chrono::microseconds(200);

// One call of run. It lives on its caller's stack, in the list while it may be joined.
struct Call {
  std::int64_t count;
  void (*job)(void* context, std::int64_t index);
  void* context;
  std::atomic<std::int64_t> claims = 0;     // for indices, vain ones included
  std::atomic<std::int64_t> from_back = 0;  // indices that helpers took
  std::atomic<int> helpers = 0;             // threads inside besides the caller; changes under the mutex
  Call* following = nullptr;
};

}  // namespace

class Pool::Workers {
 public:
  Workers() = default;
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void start(int count);
  void run(std::int64_t count, void (*job)(void*, std::int64_t), void* context);

 private:
  friend struct PoolSeam;

  Clock::time_point now() const { return clock_.load(std::memory_order_relaxed)(); }
  template <class Done>
  void watch(const Done& done) const;
  void work();
  Call* join();
  bool claim(Call& call);
  static void run_job(const Call& call, std::int64_t index) noexcept;
  bool wake_if_it_pays(const Call& call, Clock::time_point start);
  void finish(Call& call);

  std::mutex mutex_;
  std::condition_variable wake_, left_;  // workers sleep on the one, callers on the other
  Call* first_ = nullptr;                // guarded by the mutex
  std::atomic<int> open_ = 0;            // listed calls with an index left
  std::atomic<int> sleepers_ = 0;
  std::atomic<std::int64_t> wake_ups_ = 0;
  std::int64_t looks_ = 0;  // guarded by the mutex
  std::atomic<bool> stopping_ = false;
  std::atomic<Clock::time_point> burst_ = Clock::time_point();  // when its first call began
  std::atomic<Clock::time_point> last_ = Clock::time_point();   // when its last call ended
  std::atomic<Clock::time_point (*)()> clock_ = Clock::now;
  std::vector<std::thread> threads_;
};

void Pool::Workers::start(int count) {
  threads_.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
}

Pool::Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// What a job throws must not unwind a call that helpers still use: it ends the program on every thread.
void Pool::Workers::run_job(const Call& call, std::int64_t index) noexcept { call.job(call.context, index); }

// Gives the CPU to others until done() or for `patience`.
template <class Done>
void Pool::Workers::watch(const Done& done) const {
  const Clock::time_point end = now() + patience;
  while (!done() && now() < end) std::this_thread::yield();
}

// ---- a worker -----------------------------------------------------------------------------------

void Pool::Workers::work() {
  const DefaultTextEnvironment environment;  // both units: a thread begins in that of the one that made it
  for (;;) {
    watch([this] { return open_ > 0 || stopping_; });
    Call* const call = join();
    if (call == nullptr) return;
    while (claim(*call)) run_job(*call, call->count - ++call->from_back);
    const std::lock_guard lock(mutex_);
    if (--call->helpers == 0) left_.notify_all();  // from here on the call may be gone
  }
}

// An open call, now with one helper more; sleeps until there is one. Null when the pool ends.
Call* Pool::Workers::join() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopping_) return nullptr;
    for (Call* call = first_; call != nullptr; call = call->following) {
      if (call->claims >= call->count) continue;
      ++call->helpers;
      return call;
    }
    ++sleepers_;
    wake_.wait(lock, [this] {
      ++looks_;
      return open_ > 0 || stopping_;
    });
    --sleepers_;
  }
}

// Whether an index was left: the claimer has it. Who takes the last one closes the call at once: until then a worker
// that finds no index anywhere asks again, with the mutex held, and the last job may be a call that waits for that.
bool Pool::Workers::claim(Call& call) {
  const std::int64_t before = call.claims++;
  if (before == call.count - 1) --open_;
  return before < call.count;
}

// ---- a caller -----------------------------------------------------------------------------------

void Pool::Workers::run(std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
  if (threads_.empty() || count <= 1) return serial.run(nullptr, count, job, context);
  Call call = {count, job, context};
  {
    const std::lock_guard lock(mutex_);
    call.following = first_;
    first_ = &call;
    ++open_;
  }
  const Clock::time_point start = now();
  if (start - last_.load() > patience) burst_ = start;
  bool woken = sleepers_ > 0 && wake_if_it_pays(call, start);
  for (std::int64_t index = 0; claim(call); ++index) {
    run_job(call, index);
    if (!woken && sleepers_ > 0) woken = wake_if_it_pays(call, start);
  }
  finish(call);
  last_ = now();
}

// What pays is a rest of the call that takes long, at the pace so far, or a burst that has gone on for as long.
bool Pool::Workers::wake_if_it_pays(const Call& call, Clock::time_point start) {
  const std::int64_t taken = std::min<std::int64_t>(call.claims, call.count);
  const std::int64_t left = call.count - std::max<std::int64_t>(taken, 1);  // the first job is the caller's
  const Clock::time_point time = now();
  const double pace = taken == 0 ? 0 : std::chrono::duration<double>(time - start).count() / static_cast<double>(taken);
  const std::chrono::duration<double> rest(pace * static_cast<double>(left));
  if (rest < worth_waking && time - burst_.load() < worth_waking) return false;
  // A worker that decides to sleep has seen, under the mutex, that no call is open: no call is missed.
  for (std::int64_t i = std::min<std::int64_t>(left, sleepers_); i > 0; --i) {
    ++wake_ups_;
    wake_.notify_one();
  }
  return true;
}

// Nobody joins any more; waits for those who did.
void Pool::Workers::finish(Call& call) {
  {
    const std::lock_guard lock(mutex_);
    Call** link = &first_;
    while (*link != &call) link = &(*link)->following;
    *link = call.following;
  }
  const auto alone = [&call] { return call.helpers == 0; };
  watch(alone);
  if (alone()) return;
  std::unique_lock lock(mutex_);
  left_.wait(lock, alone);
}

// ---- the public face ----------------------------------------------------------------------------

std::optional<Problem> Pool::check(int threads) {
  if (threads >= 1 && threads <= 1024) return std::nullopt;
  return Problem{"pool", "threads must be 1 to 1024", std::to_string(threads)};
}

Pool::Pool(int threads, Checked) : workers_(std::make_unique<Workers>()) {
  try {
    workers_->start(threads - 1);
  } catch (const std::system_error& error) {
    throw Error(
        {"pool", "the system must start " + std::to_string(threads - 1) + " threads", error.what(), {}, Cause::system});
  }
}

Pool::~Pool() = default;

Executor Pool::executor() const {
  return {[](void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
            static_cast<Workers*>(self)->run(count, job, context);
          },
          workers_.get()};
}

// ---- what the test sees -------------------------------------------------------------------------

void PoolSeam::set_clock(const Pool& pool, Time (*now)()) { pool.workers_->clock_ = now; }
int PoolSeam::asleep(const Pool& pool) { return pool.workers_->sleepers_; }
std::int64_t PoolSeam::wake_ups(const Pool& pool) { return pool.workers_->wake_ups_; }
std::int64_t PoolSeam::looks(const Pool& pool) {
  const std::lock_guard lock(pool.workers_->mutex_);
  return pool.workers_->looks_;
}

}  // namespace posenc
