// SPDX-License-Identifier: Apache-2.0
// Frequencies as turns: w / 2 pi, so that the reduction of an angle is the fraction of a product of integers.
#pragma once

#include <array>
#include <span>

#include "src/numerics/evaluate.h"

namespace posenc::numerics {

/// The real number w = first * base^(-numerator / denominator); first >= 0, base > 0, finite doubles;
/// numerator < 2^20 denominator; radians per position.
struct Frequency {
  double first = 0;
  double base = 1;
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
};

/// The same number in closed form.
Real real(const Frequency& w);

/// w / 2 pi = significand / 2^256 * 2^exponent, the top bit set; the relative error is below 2^-240. w = 0: all zeros.
struct Turn {
  std::array<std::uint64_t, 4> significand = {};  // least significant limb first
  std::int64_t exponent = 0;

  bool zero() const { return significand[3] == 0; }
};

/// base^(-numerator / denominator) with relative error below 2^51 units of 2^-F: ln 2 and ln base are off by
/// less than 2^20 units for F < 2^16, k ln 2 by 2^30 of them, the fraction and exp by the rest.
Exponential power_of_base(double base, std::uint64_t numerator, std::uint64_t denominator, std::int64_t F);

/// w / 2 pi = significand * 2^exponent with relative error below 2^-(bits).
struct WideTurn {
  Bignum significand;
  std::int64_t exponent;
};
WideTurn wide_turn(const Frequency& w, std::int64_t bits);

Turn turn(const Frequency& w);
/// |w| / 2 pi, for every w: its sign is sign(w). Nothing where 2^15 bits do not tell w from 0.
std::optional<Turn> turn(const Real& w);

/// turns[k] of first * base^(-k step_numerator / step_denominator), each from the one before by one multiplication; at
/// most 2^40 of them. Equal to turn() within the same bound.
void geometric_turns(double first, double base, std::uint64_t step_numerator, std::uint64_t step_denominator,
                     std::span<Turn> turns);
/// turns[k] of |first| * base^(k step) in the same way, for steps of either sign, base > 0. False, and nothing written,
/// where 2^15 bits do not tell `first` from 0 or base^step is beyond e^(2^30).
[[nodiscard]] bool geometric_turns(const Real& first, const Rational& base, const Rational& step,
                                   std::span<Turn> turns);

/// 1 / 2 pi: the turn of w = 1 (digits from wide_turn; a test computes them again).
inline constexpr Turn unit_turn = {{0xFE5163ABDEBBC561u, 0xDB6295993C439041u, 0xFC2757D1F534DDC0u, 0xA2F9836E4E441529u},
                                   -2};

}  // namespace posenc::numerics
