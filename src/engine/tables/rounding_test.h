// SPDX-License-Identifier: Apache-2.0
// The rounding test of the vector kernel: which of its f64 values might round either way.
#pragma once

#include "src/numerics/rounding.h"

namespace posenc::engine {

/// Values come with a relative error below 2^-47. One below 2^(e+1) is off by less than 2^(e-46), 64 units of an f64's
/// last place; `margin` doubles that. Those below 2^-12 are off by less than 2^-60 (sines.h), which is `small_margin`
/// units at 2^-21; what is smaller is in doubt.
inline constexpr std::uint64_t margin = 128, small_margin = std::uint64_t{1} << 13;

/// T: float, half or bfloat16.
template <class T>
struct Doubt {
  static constexpr std::uint64_t tie = std::uint64_t{1} << (52 - numerics::Format<T>::precision);
  static constexpr std::uint64_t below = 2 * tie - 1;  // the bits that rounding drops

  static constexpr std::uint64_t smallest = std::bit_cast<std::uint64_t>(std::is_same_v<T, half> ? 0x1p-14 : 0x1p-21);

  /// Of an f64's bits: within its margin of a half-way point, or too small (in f16: subnormal).
  static constexpr bool in(std::uint64_t bits) {
    const std::uint64_t size = bits << 1 >> 1;
    const std::uint64_t near = size < std::bit_cast<std::uint64_t>(0x1p-12) ? small_margin : margin;
    return (bits & below) - (tie - near) < 2 * near || size < smallest;
  }
};

}  // namespace posenc::engine
