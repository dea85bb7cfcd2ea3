// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of position x frequency from 128-bit integers: the quick path of exact results, with its error bound.
#pragma once

#include "src/numerics/frequency.h"

namespace posenc::numerics {

struct SineCosine {
  Approximation sine, cosine;
};

/// sin(p w) and cos(p w) for p = +-mantissa 2^exponent and w given as turns, neither of them 0. Nothing when 128 bits
/// do not reach: the product has more than 2^128 turns, and w not all its digits, or the angle is too near a multiple
/// of a quarter turn.
std::optional<SineCosine> quick_sine_cosine(const Turn& w, const Dyadic& p);

/// The sum of up to 2^20 products p w, each with the sign of p, one after another. A sum of one keeps its relative
/// precision.
class TurnSum {
 public:
  /// Products that are 0 are left out. `w` is read until the sum is asked for.
  void add(const Turn& w, const Dyadic& p);
  /// Was every product 0?
  bool nothing() const { return count_ == 0; }
  /// Nothing where 128 bits do not reach, as above; where the sum is 0 or may be, too.
  std::optional<SineCosine> waves() const;

 private:
  void join(const Turn& w, const Dyadic& p);

  int count_ = 0;
  bool reached_ = true;
  const Turn* first_w_ = nullptr;
  Dyadic first_p_;
  uint128 fraction_ = 0, error_ = 0;
};

/// a b, and their errors.
Approximation multiply(const Approximation& a, const Approximation& b);
/// The leading 128 bits of x; nothing where it is 0 or 256 bits do not tell them.
std::optional<Approximation> approximation(const Real& x);

/// The leading 64 bits of the fraction of |p| w / 2 pi turns, less than 2 units too small (or, as turns are rounded,
/// 2^-100 of a unit too large); nothing when p w is too large to tell.
std::optional<std::uint64_t> phase64(const Turn& w, const Dyadic& p);

/// The leading 128 bits of the fraction of |p| w / 2 pi turns, less than 2 units off; nothing as above.
std::optional<uint128> phase128(const Turn& w, const Dyadic& p);

/// The leading 128 bits of the fraction of w / 2 pi, rounded down; w has less than 2^64 turns.
uint128 fraction128(const Turn& w);

}  // namespace posenc::numerics
