// SPDX-License-Identifier: Apache-2.0
// Reading positions one by one, each as an exact binary fraction.
#pragma once

#include <posenc/positions.h>

#include "src/numerics/dyadic.h"

namespace posenc {

/// Axes of checked positions: 1 for [L], 2 for [B, L].
inline int rank(const Positions& positions) {
  return positions.kind_ == Positions::Kind::list ? positions.list_.rank : 1;
}

/// Position t of sequence b; b is 0 where one list serves every sequence.
numerics::Dyadic position_at(const Positions& positions, std::int64_t b, std::int64_t t);

/// Is position (b, t) an integer, and which? Positions of an integer type always are.
std::optional<std::int64_t> integer_at(const Positions& positions, std::int64_t b, std::int64_t t);

}  // namespace posenc
