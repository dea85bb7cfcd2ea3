// SPDX-License-Identifier: Apache-2.0
// The rungs of a ladder made ready for the engine: every frequency as 256 bits of turns, and the top of it by columns.
#pragma once

#include <vector>

#include "src/numerics/phase.h"

namespace posenc::engine {

struct Rungs {
  std::vector<numerics::Frequency> frequencies;
  std::vector<numerics::Turn> turns;
  // The leading 128 bits of the fraction of w / 2 pi: enough to place any int64 position within 2^-63 turns.
  std::vector<std::uint64_t> high, low;
  bool moderate = true;    // no w has 2^64 turns or more; otherwise only the turns are used
  bool fractional = true;  // no w has a whole turn or more, so that high and low are all of it

  std::size_t size() const { return turns.size(); }
};

/// w_k = first * base^(-k step_numerator / step_denominator), k < count.
Rungs geometric_rungs(double first, double base, std::uint64_t step_numerator, std::uint64_t step_denominator,
                      std::size_t count);
/// The caller's own frequencies.
Rungs listed_rungs(std::span<const double> frequencies);

}  // namespace posenc::engine
