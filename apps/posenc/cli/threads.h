// SPDX-License-Identifier: Apache-2.0
// How many threads a call may use, and from when on it does: quick work stays on one.
#pragma once

#include <posenc/pool/pool.h>

#include <chrono>
#include <memory>

namespace posenc::tool {

/// Of a pool.
inline constexpr int most_threads = 1024;
/// Those that this process may run on, at most `most_threads`.
int cpus();

/// An executor that begins alone: threads start once its calls have taken 10 ms, and 0.5 ms each; none where the system
/// refuses them. Serves one call at a time, and outlives it.
class Threads {
 public:
  using Clock = std::chrono::steady_clock;
  /// `most` counts the caller; `now` tells what calls take.
  explicit Threads(int most, Clock::time_point (*now)() = Clock::now) : most_(most), now_(now) {}
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  /// Jobs may throw: their first exception comes out of the call.
  Executor executor();

 private:
  void run(std::int64_t count, void (*job)(void* context, std::int64_t index), void* context);
  void start();

  int most_;
  Clock::time_point (*now_)();
  std::int64_t calls_ = 0;
  Clock::duration alone_ = {};  // what they took
  std::unique_ptr<Pool> pool_ = {};
};

}  // namespace posenc::tool
