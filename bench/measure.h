// SPDX-License-Identifier: Apache-2.0
// Measures a row: the work, its ceiling and the bare loop, on one thread and on two, in turns, many rounds.
#pragma once

#include "bench/row.h"

namespace posenc::bench {

/// The middle half of the rounds: quartiles.
struct Spread {
  double low = 0, median = 0, high = 0;
};
Spread spread(std::vector<double> values);

/// A row on one number of threads.
struct Cell {
  int threads;
  int rounds, counted;     ///< of the rounds, those that the spreads are over
  Spread seconds;          ///< of the work
  Spread ceiling_seconds;  ///< zeros where there is no ceiling
  Spread ratio;            ///< ceiling over work, round by round: what both share of a bad moment cancels
  Spread bare_seconds = {}, bare_ratio = {};  ///< the same of the bare loop; zeros where there is none
  Spread of_bare = {};                        ///< bare loop over work, round by round
};

struct Measured {
  std::int64_t bytes;  ///< of output
  std::vector<Cell> cells;
  std::int64_t memory;  ///< bytes that a call took beside its buffers; 0 where not asked
};

/// Takes about `seconds`, or three rounds if those take longer. The calling thread runs the work on one thread, a
/// posenc::Pool on more, up to the number of CPUs. Rounds in which another process took a CPU away from us do not
/// count, unless fewer than three others are left.
Measured measure(const Row& row, double seconds);

}  // namespace posenc::bench
