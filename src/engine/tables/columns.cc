// SPDX-License-Identifier: Apache-2.0
// Columns, taken from the ladder.
#include "src/engine/tables/columns.h"

namespace posenc::engine {

void Columns::reserve(std::size_t columns) {
  high.reserve(columns);
  low.reserve(columns);
  quarter.reserve(columns);
  frequency.reserve(columns);
}

void Columns::push_back(const Rungs& rungs, std::size_t k, unsigned quarters) {
  high.push_back(rungs.high[k]);
  low.push_back(rungs.low[k]);
  quarter.push_back(std::uint64_t{turned(quarters, rungs.is_negative(k))} << 62);
  frequency.push_back(static_cast<std::uint32_t>(k));
}

Columns scaled(const Columns& columns, const Rungs& rungs, int exponent) {
  Columns made = columns;
  for (std::size_t j = 0; j < made.size(); ++j) {
    numerics::Turn turn = rungs.turns[made.frequency[j]];
    turn.exponent += exponent;
    const numerics::uint128 fraction = numerics::fraction128(turn);
    made.high[j] = static_cast<std::uint64_t>(fraction >> 64);
    made.low[j] = static_cast<std::uint64_t>(fraction);
  }
  return made;
}

}  // namespace posenc::engine
