// SPDX-License-Identifier: Apache-2.0
// Slopes of biases: 128 bits of each, and as many more as a rounding asks for.
#include "src/conventions/slope.h"

#include <algorithm>

namespace posenc {
namespace {

using numerics::Dyadic;
using numerics::Rational;
using numerics::Real;
using numerics::uint128;

// An odd mantissa, so that numbers of a like size are near each other in exponent, too.
Dyadic reduced(Dyadic x) {
  if (x.zero()) return {};
  const int zeros = std::countr_zero(x.mantissa);
  return {x.mantissa >> zeros, x.exponent + zeros, x.negative};
}

// a - b where 64 bits hold it; of reduced numbers.
std::optional<Dyadic> short_difference(const Dyadic& a, const Dyadic& b) {
  if (b.zero()) return a;
  if (a.zero()) return Dyadic{b.mantissa, b.exponent, !b.negative};
  const int exponent = std::min(a.exponent, b.exponent);
  const auto fits = [&](const Dyadic& x) { return std::bit_width(x.mantissa) + x.exponent - exponent < 64; };
  if (!fits(a) || !fits(b)) return std::nullopt;
  const std::uint64_t x = a.mantissa << (a.exponent - exponent), y = b.mantissa << (b.exponent - exponent);
  if (a.negative != b.negative) return Dyadic{x + y, exponent, a.negative};
  return Dyadic{x < y ? y - x : x - y, exponent, (x < y) != a.negative};
}

}  // namespace

Slope::Slope(const Real& slope) : slope_(slope), leading_(numerics::approximation(slope)) {
  if (leading_ && leading_->error > 64) leading_.reset();
}

// The slope's error and the cut of the product, 2 units, double with the shift.
template <class T>
std::optional<T> Slope::quickly(const Dyadic& factor) const {
  if (!leading_) return std::nullopt;
  const int zeros = std::countl_zero(factor.mantissa);
  const std::uint64_t m = factor.mantissa << zeros;
  const auto high = static_cast<std::uint64_t>(leading_->significand >> 64);
  const auto low = static_cast<std::uint64_t>(leading_->significand);
  const uint128 product = uint128{high} * m + numerics::multiply_high(low, m);
  const bool shifted = product >> 127 == 0;
  return numerics::settle<T>({leading_->negative != factor.negative, shifted ? product << 1 : product,
                              leading_->exponent + factor.exponent + 64 - zeros - (shifted ? 1 : 0),
                              2 * (leading_->error + 2)});
}

template <class T>
std::optional<T> Slope::times_difference(const Dyadic& a, const Dyadic& b) const {
  if (const std::optional<Dyadic> difference = short_difference(reduced(a), reduced(b))) {
    if (difference->zero()) return numerics::from_bits<T>(0);
    if (const std::optional<T> quick = quickly<T>(*difference)) return quick;
  }
  return numerics::rounded<T>(slope_ * Real(Rational(a) - Rational(b)));
}

template <class T>
std::optional<T> Slope::times_distance(const Dyadic& a, const Dyadic& b) const {
  if (std::optional<Dyadic> difference = short_difference(reduced(a), reduced(b))) {
    if (difference->zero()) return numerics::from_bits<T>(0);
    difference->negative = true;
    if (const std::optional<T> quick = quickly<T>(*difference)) return quick;
  }
  Rational distance = Rational(a) - Rational(b);
  distance.negative = !distance.zero();
  return numerics::rounded<T>(slope_ * Real(distance));
}

template std::optional<float> Slope::times_difference(const Dyadic&, const Dyadic&) const;
template std::optional<double> Slope::times_difference(const Dyadic&, const Dyadic&) const;
template std::optional<half> Slope::times_difference(const Dyadic&, const Dyadic&) const;
template std::optional<bfloat16> Slope::times_difference(const Dyadic&, const Dyadic&) const;
template std::optional<float> Slope::times_distance(const Dyadic&, const Dyadic&) const;
template std::optional<double> Slope::times_distance(const Dyadic&, const Dyadic&) const;
template std::optional<half> Slope::times_distance(const Dyadic&, const Dyadic&) const;
template std::optional<bfloat16> Slope::times_distance(const Dyadic&, const Dyadic&) const;

}  // namespace posenc
