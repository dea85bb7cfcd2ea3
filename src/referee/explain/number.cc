// SPDX-License-Identifier: Apache-2.0
// Sums and products of enclosures, kept in closed form as long as there is one.
#include "src/referee/explain/number.h"

namespace posenc::referee {

using numerics::Bignum;
using numerics::Enclosure;
using numerics::Rational;
using numerics::Real;

Number::Number(Real x) : closed(x), enclose([x](std::int64_t bits) { return numerics::enclose(x, bits); }) {}

Number wave(numerics::Wave of, const Real& x) {
  if (std::optional<Real> known = numerics::known_wave(of, x)) return Number(*known);
  return Number([of, x](std::int64_t bits) { return numerics::enclose(of, x, bits); });
}

Number operator*(const Number& a, const Number& b) {
  if (a.closed && b.closed) return Number(*a.closed * *b.closed);
  for (const Number* of : {&a, &b}) {
    if (of->closed && of->closed->zero()) return Number(Real());
  }
  return Number([x = a.enclose, y = b.enclose](std::int64_t bits) {
    return numerics::multiply(x(bits + 8), y(bits + 8), bits + 8);
  });
}

Number operator+(const Number& a, const Number& b) {
  if (a.closed && b.closed) return Number(*a.closed + *b.closed);
  if (a.closed && a.closed->zero()) return b;
  if (b.closed && b.closed->zero()) return a;
  return Number(
      [x = a.enclose, y = b.enclose](std::int64_t bits) { return numerics::add(x(bits + 8), y(bits + 8), bits + 8); });
}

Number operator-(const Number& a, const Number& b) { return a + Number(Real(-1)) * b; }

std::optional<double> nearest(const Number& x) {
  if (x.closed) return numerics::rounded<double>(*x.closed);
  return numerics::settle_certainly<double>(x.enclose);
}

std::optional<double> error(double value, const Number& of) { return nearest(Number(Real(value)) - of); }

std::optional<double> relative_error(double value, const Number& of) {
  if (of.closed && of.closed->zero()) return std::nullopt;
  const Number difference = Number(Real(value)) - of;
  if (difference.closed && difference.closed->zero()) return 0.0;
  return numerics::settle_certainly<double>(
      [&](std::int64_t bits) { return numerics::divide(difference.enclose(bits), of.enclose(bits), bits); });
}

namespace {

// floor of an end of an enclosure; the unit is 2^exponent.
Rational floor_of(const Bignum& end, std::int64_t exponent, bool negative) {
  if (exponent >= 0) return Rational(end, Bignum(1), exponent, negative);
  const Rational whole(end >> -exponent, Bignum(1), 0, negative);
  return negative && end.any_below(-exponent) ? whole - Rational(1) : whole;
}

}  // namespace

std::optional<Rational> nearest_whole(const Real& x) {
  const Real above = x + Real(numerics::fraction(1, 2));
  if (above.zero()) return Rational(0);
  if (const std::optional<Rational> exact = numerics::rational(above)) {
    const auto [quotient, rest] =
        numerics::divide(exact->exponent > 0 ? exact->numerator << exact->exponent : exact->numerator,
                         exact->exponent < 0 ? exact->denominator << -exact->exponent : exact->denominator);
    const Rational whole(quotient, Bignum(1), 0, exact->negative);
    return exact->negative && !rest.zero() ? whole - Rational(1) : whole;
  }
  for (std::int64_t bits = 256; bits <= numerics::most_bits; bits *= 2) {
    const Enclosure at = numerics::enclose(above, bits);
    if (at.error_bits >= at.significand.bit_length()) continue;
    const Bignum error = Bignum(1) << at.error_bits;
    const Rational low = floor_of(at.significand - error, at.exponent, at.negative);
    if (low == floor_of(at.significand + error, at.exponent, at.negative)) return low;
  }
  return std::nullopt;
}

}  // namespace posenc::referee
