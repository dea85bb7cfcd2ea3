// SPDX-License-Identifier: Apache-2.0
// The phase of one position and one frequency, without lanes.
#pragma once

#include "src/numerics/dyadic.h"

namespace posenc::engine {

/// The leading 64 bits of the fraction of mantissa / 2^shift times (high, low) / 2^128 turns, less than 2 units too
/// small. For shift > 0 high and low are all of the turns.
constexpr std::uint64_t multiple_of_turns(std::uint64_t mantissa, int shift, std::uint64_t high, std::uint64_t low) {
  const numerics::uint128 upper = numerics::uint128{mantissa} * high + numerics::multiply_high(mantissa, low);
  return shift < 128 ? static_cast<std::uint64_t>(upper >> shift) : 0;
}

/// The leading 128 bits of the same; 2^-128 turns are their unit. Up to mantissa / 2^shift + 1 of them too small.
constexpr numerics::uint128 wide_multiple_of_turns(std::uint64_t mantissa, int shift, std::uint64_t high,
                                                   std::uint64_t low) {
  const numerics::uint128 lower = numerics::uint128{mantissa} * low;
  if (shift == 0) return lower + (numerics::uint128{mantissa * high} << 64);
  const numerics::uint128 upper = numerics::uint128{mantissa} * high + static_cast<std::uint64_t>(lower >> 64);
  const auto last = static_cast<std::uint64_t>(lower);
  if (shift < 64) return upper << (64 - shift) | last >> shift;
  return shift < 192 ? upper >> (shift - 64) : 0;
}

}  // namespace posenc::engine
