// SPDX-License-Identifier: Apache-2.0
// A second of work whose right answers are stored: whether this build is right on this machine.
#pragma once

#include <posenc/core.h>

#include <chrono>

namespace posenc::tool {

struct SelfTest {
  std::int64_t values = 0;   ///< single entries that were compared with the true value
  std::int64_t tables = 0;   ///< whole tables whose hash was compared
  std::int64_t entries = 0;  ///< of those tables
  std::int64_t wrong = 0;    ///< values and tables that differ
  std::string first = {};    ///< the first one
};

/// The stored values once, then tables by turns on the executor's threads until that much time is over; each at least
/// once.
SelfTest self_test(const Executor& executor, std::chrono::duration<double> time);

}  // namespace posenc::tool
