// SPDX-License-Identifier: Apache-2.0
// Is a measured row at its floor?
#pragma once

#include "bench/measure.h"

namespace posenc::bench {

struct Verdict {
  enum class Kind : std::uint8_t {
    none = 1,
    ok,
    shortfall,
    limit,  ///< short, as the bare loop is, and next to it: what the floor asks for, this machine's memory does not
            ///< give
  } kind;
  double floor;  ///< a share of the cell's own ceiling, or seconds; 0 where there is none
  bool in_seconds;
};

/// The verdicts of a row's cells, in order. `last` is the row before where the floor counts from it, or null.
///
/// With two threads a share asks for no more than 1.9 times our own speed on one: on some machines, and in some
/// minutes, two threads have twice the memory bandwidth of one, and a share of that would ask for more than twice the
/// work.
///
/// Next to the bare loop is 0.95 of its speed.
std::vector<Verdict> verdicts(const Row& row, const Measured& measured, const Measured* last, bool avx512);

}  // namespace posenc::bench
