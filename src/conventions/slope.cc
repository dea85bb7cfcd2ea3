// SPDX-License-Identifier: Apache-2.0
// Slopes of biases: f64 first, then 128 bits of each, and as many more as a rounding asks for.
#include "src/conventions/slope.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "src/numerics/rounding_test.h"

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

// Of the nearest f64 to a slope, and of its product with a number that f64 holds: 2^-53 of itself each, together below
// 2^-51.
constexpr numerics::ErrorBound products = numerics::relative_error(-51, -126);

// Sizes of slopes and factors whose products f64 holds without underflow or overflow.
constexpr double smallest_slope = 0x1p-512, largest_slope = 0x1p512;
constexpr int largest_exponent = 256;

// What the nearest f64 lacks of a number: the sum of its 75 lowest bits and the unit that rounding may have added is
// below 2^75 in size, as two's complement has it.
double rest_of(const numerics::Approximation& x) {
  const uint128 top = (x.significand >> 75) + (x.significand >> 74 & 1);
  const uint128 rest = x.significand - (top << 75);  // beyond 2^128: of 2^128
  const bool negative = rest >> 127 != 0;
  const uint128 size = negative ? 0 - rest : rest;
  if (size == 0) return 0;
  const int zeros = numerics::countl_zero(size);
  return numerics::round<double>(negative != x.negative, {size << zeros, x.exponent - zeros, false});
}

std::optional<int> bits_of(const Real& x) {
  const std::optional<Rational> value = numerics::rational(x);
  if (!value || value->denominator != numerics::Bignum(1) || value->numerator.bit_length() > 53) return std::nullopt;
  return static_cast<int>(value->numerator.bit_length());
}

}  // namespace

Slope::Slope(const Real& slope)
    : slope_(slope),
      leading_(numerics::approximation(slope)),
      nearest_(leading_ ? numerics::settle<double>(*leading_).value_or(0) : 0) {
  if (std::abs(nearest_) < smallest_slope || std::abs(nearest_) > largest_slope) nearest_ = 0;
  if (nearest_ == 0) return;
  rest_ = rest_of(*leading_);
  bits_ = bits_of(slope_);
}

template <class T>
std::optional<T> Slope::in_f64(const Dyadic& factor) const {
  if (std::bit_width(factor.mantissa) > 53 || std::abs(factor.exponent) > largest_exponent) return std::nullopt;
  const auto unit = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + factor.exponent) << 52);
  const double product = nearest_ * (static_cast<double>(factor.mantissa) * unit);
  const auto bits = std::bit_cast<std::uint64_t>(factor.negative ? -product : product);
  const double largest = std::ldexp(1.0, 1 - numerics::Format<T>::minimum);
  if (std::abs(product) > largest || numerics::in_doubt<T>(bits, products)) return std::nullopt;
  return numerics::rounded_bits<T>(bits);
}

// The slope's error and the cut of the product, 2 units, double with the shift.
template <class T>
std::optional<T> Slope::in_128_bits(const Dyadic& factor) const {
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
std::optional<T> Slope::times(const Dyadic& factor) const {
  if constexpr (!std::is_same_v<T, double>) {
    if (const std::optional<T> narrow = in_f64<T>(factor)) return narrow;
  }
  return in_128_bits<T>(factor);
}

template <class T>
std::optional<T> Slope::times_difference(const Dyadic& a, const Dyadic& b) const {
  if (const std::optional<Dyadic> difference = short_difference(reduced(a), reduced(b))) {
    if (difference->zero()) return numerics::from_bits<T>(0);
    if (const std::optional<T> quick = times<T>(*difference)) return quick;
  }
  return numerics::rounded<T>(slope_ * Real(Rational(a) - Rational(b)));
}

template <class T>
std::optional<T> Slope::times_distance(const Dyadic& a, const Dyadic& b) const {
  if (std::optional<Dyadic> difference = short_difference(reduced(a), reduced(b))) {
    if (difference->zero()) return numerics::from_bits<T>(0);
    difference->negative = true;
    if (const std::optional<T> quick = times<T>(*difference)) return quick;
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
