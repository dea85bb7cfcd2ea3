// SPDX-License-Identifier: Apache-2.0
// The series of sine and cosine on an eighth of a turn either way, and what evaluating them costs in digits.
//
// With x = rest * 2 pi / 2^64, |x| <= pi / 4, u = x^2:  sin x = x + x u S(u),  cos x = 1 + u C(u).
//
// Errors in units of 2^-53, rounding to nearest, fused or not. rest, 2 pi and their product round once each: x is off
// by 2.4 |x| <= 1.9. The sine adds 0.6 for its series (at most 0.09, off by 7 of itself), 0.1 for what that leaves out
// and 0.5 for the last sum: 3.1. The cosine's u C(u), at most 0.30, is off by 9 of itself (u 5.8, C 2.1, their product
// 1), what it leaves out is 0.6, and the last sum is off by 0.5: 3.8. A phase that is 2 units of 2^-64 turns too small
// adds 2^-60.3. Both are therefore within 4 * 2^-53 = 2^-51 of the truth. What is below 2^-12 is a sine of its own
// size: x and the last sum are off by 3.4 |x| < 2^-63.2, and with the phase that is less than 2^-60.
//
// Relative to what is at least 2^-12, in units of 2^-52 for a rounding in any mode, fused or not: x carries 3 and
// u = x^2 carries 7. The sine is x less at most 0.11 x of a series that carries 17, the cosine 1 less at most 0.44 of
// itself with 13: below 8 with the last sum and what the series leave out. Two units of phase are 2^-60.3 radians,
// 2^-48.3 of 2^-12. Together less than 2^-47, stated as 2^-46.
//
// A phase that is off by 2^u units either way, u <= 6, is off by 2^(u - 61.34) radians. What is below 2^-12 is within
// 2^-63.2 more: 0.92 * 2^(u - 61) in all, which from 2^(u - 22) on is less than the 2^13 units of the last place that
// small_sines states. What is at least 2^-12 is within 2^-49 + 2^(u - 49.34) < 2^-43 of itself (below), 2^10 units.
//
// A factor c is rounded once, as is the product: 2^-52 of it more. With the 0.92 * 2^-40 at most that a wave of 2^(u -
// 21) or more has of its own, the product is within 2^-40 of itself, 2^13 units of its last place: from |c| 2^(u - 21)
// on.
//
// A factor 2^x of its own of each wave, x off by 2^-45, is off by 2^-45 of itself (0.7 * 2^-45, the power 2^-50, the
// product with c, 2^-52): in all below 0.96 * 2^-40 of the product. Sizes are those of waves then: 2^(u - 21).
#pragma once

#include <array>

#include "src/numerics/rounding_test.h"

namespace posenc::engine {

// The coefficients of least greatest error on |x| <= pi / 4, from tools/fits/sines.py. Rounded to f64 they leave out
// less than 2^-56.8 of the sine and 2^-53.8 of the cosine; Taylor's would need two terms more.
inline constexpr double sine_series[] = {-0x1.555555555553dp-3, 0x1.111111110eb1fp-7,   -0x1.a01a019ab4afep-13,
                                         0x1.71de347566128p-19, -0x1.ae5db47991406p-26, 0x1.5d64c97f6e190p-33};
inline constexpr double cosine_series[] = {-0x1.fffffffffffa3p-2, 0x1.555555554f952p-5,   -0x1.6c16c1648a935p-10,
                                           0x1.a019f88414f83p-16, -0x1.27df6c047a66fp-22, 0x1.1b95fdf62b10cp-29};
/// The bounds of values that are less than 2^-12, of all others, and of those by their own size.
inline constexpr numerics::ErrorBound small_sines = {-60, -21}, sines = {-51, -12},
                                      relative_sines = numerics::relative_error(-46, -12);
static_assert(small_sines.units() == sines.units(), "one bound for both: small_sines");
/// From 2^(it) on the bound of small_sines holds for phases that are off by 2^units_bits units either way, and for the
/// same times a factor of up to 2^factor_exponent.
inline constexpr int most_units_bits = 6;
constexpr int smallest_of_sums(int units_bits) { return units_bits - 22; }
constexpr int smallest_of_scaled(int units_bits, int factor_exponent) { return factor_exponent + units_bits - 21; }
static_assert(smallest_of_sums(1) == small_sines.smallest);

/// Of scaled values, by their own size: those of waves of at least 2^-12, and of at least 2^-20.
inline constexpr numerics::ErrorBound scaled_sines = numerics::relative_error(-46, -40),
                                      small_scaled_sines = numerics::relative_error(-40, -40);

/// 1 / i!, rounded once: both numbers are whole and below 2^53.
inline constexpr auto inverse_factorial = [] {
  std::array<double, 14> of = {};
  double factorial = 1;
  for (std::size_t i = 0; i < of.size(); ++i) {
    factorial *= i == 0 ? 1 : static_cast<double>(i);
    of[i] = 1 / factorial;
  }
  return of;
}();

inline constexpr double radians_per_unit = 0x1.921fb54442d18p-62;  // 2 pi / 2^64

}  // namespace posenc::engine
