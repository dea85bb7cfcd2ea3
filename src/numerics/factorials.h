// SPDX-License-Identifier: Apache-2.0
// Coefficients of power series in units of 2^-128.
#pragma once

#include <array>
#include <cstddef>

#include "src/numerics/dyadic.h"

namespace posenc::numerics {

/// 1 / first!, 1 / (first + step)!, ..., each less than `count step` units too small; first >= 2.
template <std::size_t count>
constexpr std::array<uint128, count> inverse_factorials(unsigned first, unsigned step) {
  std::array<uint128, count> c = {};
  uint128 value = ~uint128{0};
  unsigned n = 1;
  for (std::size_t i = 0; i < count; ++i) {
    while (n < first + step * i) value /= ++n;
    c[i] = value;
  }
  return c;
}

}  // namespace posenc::numerics
