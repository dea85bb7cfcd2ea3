// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of 64-bit phases in f32 by whole numbers: the recipe `phase`, whose bits devices, compiled graphs
// and emitted code have, too.
//
// A phase is a number of 2^-64 turns. Its two upper bits say which quarter turn it is in; the others, taken from the
// end of the quarter where that is nearer, are X <= 2^61, in units of 2^-62 quarters. With x = (X + 2^30) >> 31 <=
// 2^30, in units of 2^-31 quarters, and z = x x >> 30 <= 2^30, in units of 2^-32:
//
//   s = s0 - z (s1 - z (s2 - z (s3 - z s4))),  S = x s >> 30,  S / 2^31 = sin(x quarters) nearly
//   C = c0 - z (c1 - z (c2 - z (c3 - z c4))),                  C / 2^31 = cos(x quarters) nearly
//
// each product shifted to the unit of what it is subtracted from. Every number but X is below 2^31 and not below 0, and
// every product below 2^62, so 32-bit words with 64-bit products do, signed or not. In odd quarters, or else from an
// end, S and C change places. The sign is put on before the number is converted to f32, so a 0 is +0.
//
// Below 2^-7 quarters, S has too few bits. There the value is RN(RN(X) RN(s)), of X cut to 48 bits.
//
// Errors, in units of 2^-31. x is off by half of its unit, pi / 4 = 0.79 of the angle. The sine: s is cut down by less
// than 2 units of x s, then S by less than 1, and z moves it by 0.2; the cuts have opposite signs, and all others are
// below 0.1. The cosine: c0 is a unit less than 1, so that its last cut stands between the others.
// tools/proofs/phase.py proves 2.0 and 2.25 with the polynomials' own errors. A whole position below 2^31 moves the
// phase by 2^-34 turns, 0.81: less than 4, so 2^-29, in all. A small
// sine is below 2^-6.3: RN(X) moves it by 0.8, RN(s) by 1.0 and the position by 0.81, less than 4 again. It is within 2
// units in the last place of that of its phase: RN(X) and RN(s) are off by 2^-24 / m and 2^-24 / 1.57 of themselves, m
// the first factor from 1 to 2, and the product by half a unit. From there on a unit is 2^-30 or more, and S is within
// 2.0 of 2^-31 and half a unit.
#pragma once

#include <cstddef>
#include <cstdint>

namespace posenc::engine {

/// c0, c1, .. of a polynomial in z, and how far the product with each next value is shifted.
struct PhasePolynomial {
  std::uint32_t coefficients[5];
  int shifts[4];
};
/// From tools/proofs/phase.py --fit. The units of the sine's are 2^-30, 2^-31, 2^-34, 2^-38 and 2^-43; of the cosine's
/// 2^-31, 2^-30, 2^-32, 2^-36 and 2^-41.
inline constexpr PhasePolynomial phase_sine = {{1686629713, 1387197328, 1369107519, 1286724417, 1388671293},
                                               {33, 35, 36, 37}};
inline constexpr PhasePolynomial phase_cosine = {{2147483647, 1324675872, 1089501132, 1433510551, 1988114506},
                                                 {31, 34, 36, 37}};

/// X of fewer bits is small; it is cut to the other number of bits where it has more.
inline constexpr int small_bits = 55, whole_bits = 48;

/// sine[i] and cosine[i] of phase[i]; all arrays hold whole blocks of sincos_kernel.h.
void phase_waves(const std::uint64_t* phase, std::size_t count, float* sine, float* cosine);

}  // namespace posenc::engine
