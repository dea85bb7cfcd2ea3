// SPDX-License-Identifier: Apache-2.0
// One entry that a vector kernel left in doubt.
#pragma once

#include "src/engine/tables/columns.h"
#include "src/engine/tables/phase.h"

namespace posenc::engine {

/// The phase of the entry at position p, column j, less than 2 units too small (too large for p < 0). p is counted as
/// the columns are: its exponent is theirs.
inline std::uint64_t phase_of(const Columns& columns, const numerics::Dyadic& p, std::size_t j) {
  const std::uint64_t turns = multiple_of_turns(p.mantissa, 0, columns.high[j], columns.low[j]);
  return (p.negative ? 0 - turns : turns) + columns.quarter[j];
}

/// RN of the entry from its wave, which is SineCosine's (sines-inl.h), or, where that is in doubt as well, by the
/// certain path; nothing where that does not settle it.
template <class T>
std::optional<T> settled_entry(const Rungs& rungs, const Columns& columns, const numerics::Dyadic& p, std::size_t j,
                               double wave);

}  // namespace posenc::engine
