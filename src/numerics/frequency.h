// SPDX-License-Identifier: Apache-2.0
// Frequencies as turns: w / 2 pi, so that the reduction of an angle is the fraction of a product of integers.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "src/numerics/evaluate.h"

namespace posenc::numerics {

/// Bits below the binary point of a turn that has all of them.
inline constexpr std::int64_t digits_below = 384;

/// w / 2 pi = significand / 2^256 * 2^exponent, the top bit set; the relative error is below 2^-240. w = 0: all zeros.
struct Turn {
  std::array<std::uint64_t, 4> significand = {};  // least significant limb first
  std::int64_t exponent = 0;
  // floor(w / 2 pi 2^digits_below) but for less than 2 units, the least significant limb first, where w has 2^64 turns
  // or more and less than 2^most_whole_bits: a position below 1 asks for the bits that it brings below the point.
  std::vector<std::uint64_t> digits = {};

  bool zero() const { return significand[3] == 0; }
};

/// |w| / 2 pi, for every w: its sign is sign(w). Nothing where 2^15 bits do not tell w from 0.
std::optional<Turn> turn(const Real& w);

/// The turn whose enclosure that is. Nothing where it does not tell 256 bits, or the turn has more digits than those.
std::optional<Turn> turn(const Enclosure& turns);

/// turns[k] of |first| * ratio^k, ratio > 0, each from the one before by one multiplication; at most 2^40 of them.
/// Equal to turn() within the same bound. False, and nothing written, where 2^15 bits do not tell `first` from 0 or the
/// ratio is beyond e^(2^30).
[[nodiscard]] bool geometric_turns(const Real& first, const Real& ratio, std::span<Turn> turns);

/// The leading 128 bits of first * ratio^k, ratio > 0, made alike. False, and nothing written, as above, and where
/// `first` is 0.
[[nodiscard]] bool geometric_sequence(const Real& first, const Real& ratio, std::span<Approximation> numbers);

/// Enclosures of first * ratio^k, ratio > 0, made alike: the relative error is below 2^-279. False, and nothing
/// written, as above.
[[nodiscard]] bool geometric_sequence(const Real& first, const Real& ratio, std::span<Enclosure> numbers);

/// 1 / 2 pi: the turn of w = 1 (a test computes the digits again).
inline constexpr std::array<std::uint64_t, 4> unit_significand = {0xFE5163ABDEBBC561u, 0xDB6295993C439041u,
                                                                  0xFC2757D1F534DDC0u, 0xA2F9836E4E441529u};
inline constexpr int unit_exponent = -2;
inline Turn unit_turn() { return {unit_significand, unit_exponent}; }

}  // namespace posenc::numerics
