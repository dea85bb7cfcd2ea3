// SPDX-License-Identifier: Apache-2.0
// A pool as its test drives it: by a clock of the test's own, with wake-ups counted. Nothing else includes this.
#pragma once

#include <posenc/pool/pool.h>

#include <chrono>
#include <cstdint>

namespace posenc {

struct PoolSeam {
  using Time = std::chrono::steady_clock::time_point;

  // From now on the pool reads this clock; it must not go back behind the one before.
  static void set_clock(const Pool& pool, Time (*now)());
  // Workers that sleep until they are woken.
  static int asleep(const Pool& pool);
  // How often a caller woke a sleeping worker.
  static std::int64_t wake_ups(const Pool& pool);
  // How often a worker looked for work on falling asleep or on waking, for whatever reason it woke.
  static std::int64_t looks(const Pool& pool);
};

}  // namespace posenc
