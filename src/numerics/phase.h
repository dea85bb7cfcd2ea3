// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of position x frequency from 128-bit integers: the quick path of exact results, with its error bound.
#pragma once

#include "src/numerics/frequency.h"

namespace posenc::numerics {

struct SineCosine {
  Approximation sine, cosine;
};

/// sin(p w) and cos(p w) for p = +-mantissa 2^exponent and w given as turns, neither of them 0. Nothing when 128 bits
/// do not reach: the product has more than 2^128 turns, or the angle is too near a multiple of a quarter turn.
std::optional<SineCosine> quick_sine_cosine(const Turn& w, const Dyadic& p);

/// p w, with w as turns; p has the sign of both.
struct TurnProduct {
  Turn w;
  Dyadic p;
};
/// Sine and cosine of the sum of up to 2^20 products. Nothing where 128 bits do not reach, as above; of an empty sum,
/// or one that may be 0, too.
std::optional<SineCosine> quick_sine_cosine(std::span<const TurnProduct> products);

/// a b, and their errors.
Approximation multiply(const Approximation& a, const Approximation& b);
/// The leading 128 bits of x; nothing where it is 0 or 256 bits do not tell them.
std::optional<Approximation> approximation(const Real& x);

/// The leading 64 bits of the fraction of |p| w / 2 pi turns, less than 2 units too small (or, as turns are rounded,
/// 2^-100 of a unit too large); nothing when p w is too large to tell.
std::optional<std::uint64_t> phase64(const Turn& w, const Dyadic& p);

/// The leading 128 bits of the fraction of w / 2 pi, rounded down; w has less than 2^64 turns.
uint128 fraction128(const Turn& w);

}  // namespace posenc::numerics
