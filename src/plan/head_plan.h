// SPDX-License-Identifier: Apache-2.0
// Biases of attention scores that are linear in positions: one real number a head.
#pragma once

#include "src/plan/ladder.h"

namespace posenc::plan {

/// The factor of a slope s, for a query at q and a key at k; l is the last key of the list, wherever it is.
enum class Distance : std::uint8_t {
  minus_distance = 1,  ///< -|q - k|
  key,                 ///< k
  key_from_last,       ///< k - l
  causal,              ///< k - q
};

/// Which keys count.
enum class Keys : std::uint8_t { all = 1, present };

struct HeadPlan {
  Ladder slopes, beyond;  ///< of the first heads and of those behind them; the output's scale is in them
  Distance distance;
  Keys keys;

  std::size_t heads() const { return slopes.size() + beyond.size(); }
  numerics::Real slope(std::size_t head) const {
    return head < slopes.size() ? slopes[head] : beyond[head - slopes.size()];
  }
  friend bool operator==(const HeadPlan&, const HeadPlan&) = default;
};

}  // namespace posenc::plan
