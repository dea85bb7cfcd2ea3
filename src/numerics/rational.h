// SPDX-License-Identifier: Apache-2.0
// Rational numbers of any size.
#pragma once

#include <compare>
#include <concepts>
#include <utility>

#include "src/numerics/bignum.h"

namespace posenc::numerics {

/// +- numerator / denominator * 2^exponent in one form: both odd and without a common factor; 0 is 0/1 * 2^0.
struct Rational {
  Bignum numerator, denominator = Bignum(1);
  std::int64_t exponent = 0;
  bool negative = false;

  Rational() = default;
  /// Any n, any d > 0: brought into the form.
  Rational(Bignum n, Bignum d, std::int64_t exponent, bool negative);
  Rational(const Dyadic& x) {
    if (x.zero()) return;
    const int zeros = std::countr_zero(x.mantissa);
    numerator = Bignum(x.mantissa >> zeros), exponent = x.exponent + zeros, negative = x.negative;
  }
  /// A finite double, as the binary fraction that it is.
  Rational(double x) : Rational(dyadic(x)) {}
  template <std::integral Integer>
  Rational(Integer n)
      : Rational(Dyadic{std::cmp_less(n, 0) ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n), 0,
                        std::cmp_less(n, 0)}) {}

  bool zero() const { return numerator.zero(); }
  bool whole() const { return exponent >= 0 && denominator.one(); }
  bool operator==(const Rational&) const = default;
};

/// n / d, d not 0.
Rational fraction(std::int64_t n, std::int64_t d);

Rational operator-(Rational a);
Rational operator+(const Rational& a, const Rational& b);
Rational operator-(const Rational& a, const Rational& b);
Rational operator*(const Rational& a, const Rational& b);
Rational operator/(const Rational& a, const Rational& b);  // b not 0
/// Which is greater, as numbers.
std::strong_ordering operator<=>(const Rational& a, const Rational& b);

/// x^n; x not 0 where n < 0.
Rational power(const Rational& x, std::int64_t n);
/// floor(x) mod 2^64, as two's complement has it: floor(x) itself where that is an int64.
std::int64_t floor(const Rational& x);
/// The 128 leading bits of |x|, x not 0, and whether more follow: all that a rounding asks for.
Leading leading(const Rational& x);
/// RN(x), ties to even.
template <class T>
T rounded(const Rational& x) {
  return x.zero() ? from_bits<T>(0) : round<T>(x.negative, leading(x));
}

/// x = root^multiplicity with the greatest multiplicity there is: 10000 is 10^4. x > 0, not 1. Numbers of more than
/// 2^12 bits are taken as their own roots.
struct PerfectPower {
  Rational root;
  std::int64_t multiplicity;
};
PerfectPower perfect_power(const Rational& x);

}  // namespace posenc::numerics
