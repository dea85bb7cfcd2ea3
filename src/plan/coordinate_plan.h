// SPDX-License-Identifier: Apache-2.0
// Coordinates under a logarithm: what a step along an axis is.
#pragma once

#include <array>

#include "src/numerics/real.h"

namespace posenc::plan {

/// x steps along an axis have the coordinate sign(x) ln(1 + |x| step) over a number.
struct CoordinatePlan {
  std::array<numerics::Rational, 2> steps;  ///< of a line, of a column
  numerics::Real over;
  friend bool operator==(const CoordinatePlan&, const CoordinatePlan&) = default;
};

}  // namespace posenc::plan
