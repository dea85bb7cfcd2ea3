// SPDX-License-Identifier: Apache-2.0
// A pool of threads that sleep when there is nothing to do: an executor for every call that takes one.
#pragma once

#include <posenc/core.h>

#include <memory>

namespace posenc {

/// Threads that share the jobs of a call with the thread that calls.
///
/// Work: the caller always takes part. Threads that are awake join at once; sleeping ones are woken as soon as what is
/// left would take the caller more than 100 us at the pace so far, so a small call stays on the calling thread. Calls
/// less than 200 us apart count as one: a call right after a long one wakes them before its first job. After a call
/// threads watch for the next one that long, giving way to whoever wants the CPU, then sleep.
/// Thread safety: one pool serves calls from any number of threads at once, and calls made by its own jobs.
/// Lifetime: the pool outlives the calls that use its executor; its destruction waits for its threads to end.
/// Jobs: many, so that the first is a small share of a call, of 5 us or more each (64 KiB of output); taking one costs
/// 0.03 to 0.1 us. A child of fork has the pool and none of its threads: make another.
/// Errors: threads outside [1, 1024]; the system refuses to start a thread (cause: system). Jobs do not throw.
class Pool {
 public:
  /// `threads` counts the caller: a pool of 1 starts no thread.
  explicit Pool(int threads) : Pool((require(check(threads)), threads), Checked{}) {}
  POSENC_EXPORT ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(int threads);

  POSENC_EXPORT Executor executor() const;

 private:
  struct Checked {};
  POSENC_EXPORT Pool(int threads, Checked);
  class Workers;
  friend struct PoolSeam;
  std::unique_ptr<Workers> workers_;
};

}  // namespace posenc
