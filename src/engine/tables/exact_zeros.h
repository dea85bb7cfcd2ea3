// SPDX-License-Identifier: Apache-2.0
// The rows of a strip where an entry is exactly 0, told by column: of frequencies that are rational multiples of pi
// they are evenly spaced. Their sign is that of entry_of (columns.h).
#pragma once

#include "src/engine/tables/columns.h"

namespace posenc::engine {

/// Row `first` and every `period`-th from there on; period 0: none.
struct ZeroRows {
  std::uint64_t first = 0, period = 0;
};

/// Of a column that starts at `quarters` of a frequency, over positions (start + row step) 2^exponent, exponent <= 0.
/// None where the entries that are 0 lie 2^63 or more apart.
ZeroRows zero_rows(const numerics::QuarterTurns& w, unsigned quarters, std::int64_t start, std::int64_t step,
                   int exponent);

}  // namespace posenc::engine
