// SPDX-License-Identifier: Apache-2.0
// Two clocks, in seconds.
#pragma once

#include <ctime>

namespace posenc::bench {

inline double seconds_of(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }

/// Work on `threads` threads by the clock on the wall; on one, by the time that the calling thread had a CPU, so that
/// what the system gave to others meanwhile does not count.
inline double work_seconds(int threads) { return seconds_of(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC); }

}  // namespace posenc::bench
