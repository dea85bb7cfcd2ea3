// SPDX-License-Identifier: Apache-2.0
// The rounding test of the vector kernel: which of its f64 values might round either way.
#pragma once

#include "src/numerics/rounding.h"

namespace posenc::engine {

/// Values come with a relative error below 2^-47. One below 2^(e+1) is off by less than 2^(e-46), 64 units of an f64's
/// last place; `margin` doubles that. Values below 2^-12, whose error is not bounded so, are in doubt as well.
inline constexpr std::uint64_t margin = 128;
inline constexpr std::uint64_t smallest = std::bit_cast<std::uint64_t>(0x1p-12);

/// T: float, half or bfloat16.
template <class T>
struct Doubt {
  static constexpr std::uint64_t tie = std::uint64_t{1} << (52 - numerics::Format<T>::precision);
  static constexpr std::uint64_t below = 2 * tie - 1;  // the bits that rounding drops

  /// Of an f64's bits: within `margin` units of a half-way point, or small.
  static constexpr bool in(std::uint64_t bits) {
    return (bits & below) - (tie - margin) < 2 * margin || (bits << 1) < (smallest << 1);
  }
};

}  // namespace posenc::engine
