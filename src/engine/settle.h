// SPDX-License-Identifier: Apache-2.0
// One entry that a vector kernel left in doubt.
#pragma once

#include "src/engine/strips.h"

namespace posenc::engine {

/// RN of the entry at position p, counted as the columns are (its exponent is theirs), column j: by one evaluation in
/// f64 of relative error 2^-47 or, where that is in doubt as well, by the certain path.
template <class T>
T settled_entry(const Rungs& rungs, const Columns& columns, const numerics::Dyadic& p, std::size_t j);

}  // namespace posenc::engine
