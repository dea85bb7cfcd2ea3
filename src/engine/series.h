// SPDX-License-Identifier: Apache-2.0
// The series of sine and cosine on an eighth of a turn either way, and what evaluating them costs in digits.
//
// With x = rest * 2 pi / 2^64, |x| <= pi / 4, u = x^2:  sin x = x + x u S(u),  cos x = 1 + u C(u).
//
// Errors in units of 2^-53, rounding to nearest, fused or not. rest, 2 pi and their product round once each: x is off
// by 2.4 |x| <= 1.9. The sine adds 0.6 for its series (at most 0.09, off by 7 of itself) and 0.5 for the last sum: 3.0.
// The cosine's u C(u), at most 0.29, is off by 10 of itself, and the last sum by 0.5: 3.4. A phase that is 2 units of
// 2^-64 turns too small adds 2^-60.3. Both are therefore within 4 * 2^-53 = 2^-51 of the truth. What is below 2^-12 is
// a sine of its own size: x and the last sum are off by 3.4 |x| < 2^-63.2, and with the phase that is less than 2^-60.
#pragma once

namespace posenc::engine {

// Taylor coefficients: (-1)^i / (2i + 3)! and (-1)^(i+1) / (2i + 2)!. What is left out is below x^19 / 19! < 2^-63 and
// x^18 / 18! < 2^-58.
inline constexpr double sine_series[] = {-1.0 / 6,
                                         1.0 / 120,
                                         -1.0 / 5040,
                                         1.0 / 362880,
                                         -1.0 / 39916800.0,
                                         1.0 / 6227020800.0,
                                         -1.0 / 1307674368000.0,
                                         1.0 / 355687428096000.0};
inline constexpr double cosine_series[] = {
    -1.0 / 2,         1.0 / 24,          -1.0 / 720,           1.0 / 40320,
    -1.0 / 3628800.0, 1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
inline constexpr double radians_per_unit = 0x1.921fb54442d18p-62;  // 2 pi / 2^64

}  // namespace posenc::engine
