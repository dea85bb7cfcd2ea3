// SPDX-License-Identifier: Apache-2.0
// Ziv's loop: an enclosure at 256 bits, then at twice as many, until the rounding test (rounding_test.h) settles it
// (A. Ziv, Fast evaluation of elementary mathematical functions with correctly rounded last bit, 1991).
//
// The loop ends unless the number is a rounding boundary, which is a binary fraction: half-way between two numbers of
// the type, or 0. So exactly known values are rounded directly, before it (sine_cosine.h, rounded() of evaluate.h), and
// what is left is
//
//   angle x                             sine and cosine of x                              known before the loop
//   algebraic, not 0 (geometric,        transcendental (Lindemann)                        x = 0
//     linear, NTK, YaRN of whole
//     bounds, LongRoPE)
//   pi x rational                       rational as 0, +-1/2, +-1 alone (Niven);          all of these, and the square
//                                         algebraic elsewhere                               roots of 1/2 and 3/4
//   pi x irrational algebraic           transcendental (Gelfond-Schneider)                nothing
//   else: a + b / pi (llama3's band),   no theorem                                        x = 0 where its form says so
//     logarithms, formulas (YaRN
//     without truncation)
//
//   times a scale c                     c sin x                                           known before the loop
//   algebraic c                         transcendental where sin x is; for x = pi r       c times 1/2, sqrt(1/2),
//                                         rational only where sin^2 x is, if c is one       sqrt(3/4) or 1
//                                         term: a real radical of an abelian field has
//                                         degree 2 at most; c of more terms: no theorem
//   c with logarithms                   no theorem                                        the same
//
//   other                               value                                             known before the loop
//   e^x, ln x, x algebraic              transcendental (Lindemann)                        x = 0, x = 1
//   x^y, x and y rational               irrational algebraic, or rational                 the rational ones
//   sqrt(-2 ln u) cos(pi r), u          its square is an algebraic multiple of ln u:      u = 1, cos = 0
//     and r rational                      transcendental (Lindemann)
//
// An algebraic sum of more than one term is "not 0" only if it is: a 0 that its form does not show (real.h) stays
// undecided. A theorem says that the loop ends, not where, so nothing relies on one: where 2^15 bits do not settle a
// number, with a theorem or without, the caller hears that it is undecided, and the call says so (undecided.h of
// encodings). Never met; of numbers with a theorem the longest case known is x - x^3 / 6 for the least x that is
// half-way between two doubles, 2^12 bits; elsewhere doubt after b bits has a probability near 2^-b.
#pragma once

#include "src/numerics/enclosure.h"

namespace posenc::numerics {

/// The loop's last number of bits, and the most bits of whole turns that an angle may have: with guard bits both keep F
/// < 2^16, as series.h needs.
inline constexpr std::int64_t most_bits = std::int64_t{1} << 15;
inline constexpr std::int64_t most_whole_bits = std::int64_t{1} << 14;

/// RN of the number that `enclose(bits)` encloses ever more tightly, bits = 256, 512, ...; nothing where most_bits do
/// not settle it.
template <class T, class Enclose>
std::optional<T> settle_certainly(const Enclose& enclose) {
  for (std::int64_t bits = 256; bits <= most_bits; bits *= 2) {
    if (const std::optional<T> value = settle<T>(enclose(bits))) return value;
  }
  return std::nullopt;
}

}  // namespace posenc::numerics
