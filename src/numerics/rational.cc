// SPDX-License-Identifier: Apache-2.0
// Arithmetic of rational numbers; each result is brought into the one form.
#include "src/numerics/rational.h"

#include <algorithm>

#include "src/numerics/series.h"

namespace posenc::numerics {
namespace {

void make_odd(Bignum& x, std::int64_t& exponent, std::int64_t sign) {
  const std::int64_t zeros = trailing_zeros(x);
  if (zeros == 0) return;
  x = x >> zeros;
  exponent += sign * zeros;
}

// Two numbers as multiples of one: of 2^exponent over the product of their denominators.
struct Multiples {
  Signed a, b;
  std::int64_t exponent;
};
Multiples multiples_of_one(const Rational& a, const Rational& b) {
  const std::int64_t exponent = std::min(a.exponent, b.exponent);
  return {{a.negative, a.numerator * b.denominator << (a.exponent - exponent)},
          {b.negative, b.numerator * a.denominator << (b.exponent - exponent)},
          exponent};
}

// n 2^e for e >= 0
Bignum whole_part(const Rational& x) { return x.numerator << x.exponent; }

}  // namespace

Rational::Rational(Bignum n, Bignum d, std::int64_t e, bool minus) {
  if (n.zero()) return;
  make_odd(n, e, 1);
  make_odd(d, e, -1);
  if (!n.one() && !d.one()) {
    if (const Bignum common = gcd(n, d); !common.one()) {
      n = n / common;
      d = d / common;
    }
  }
  numerator = std::move(n);
  denominator = std::move(d);
  exponent = e;
  negative = minus;
}

Rational fraction(std::int64_t n, std::int64_t d) { return Rational(n) / Rational(d); }

Rational operator-(Rational a) {
  a.negative = !a.zero() && !a.negative;
  return a;
}

Rational operator+(const Rational& a, const Rational& b) {
  if (a.zero()) return b;
  if (b.zero()) return a;
  const Multiples both = multiples_of_one(a, b);
  Signed sum = both.a + both.b;
  return Rational(std::move(sum.size), a.denominator * b.denominator, both.exponent, sum.negative);
}

Rational operator-(const Rational& a, const Rational& b) { return a + -b; }

Rational operator*(const Rational& a, const Rational& b) {
  return Rational(a.numerator * b.numerator, a.denominator * b.denominator, a.exponent + b.exponent,
                  a.negative != b.negative);
}

Rational operator/(const Rational& a, const Rational& b) {
  return Rational(a.numerator * b.denominator, a.denominator * b.numerator, a.exponent - b.exponent,
                  a.negative != b.negative);
}

std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
  if (a == b) return std::strong_ordering::equal;
  if (a.negative != b.negative) return a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
  const Multiples both = multiples_of_one(a, b);
  const bool smaller = both.a.size < both.b.size;
  return smaller != a.negative ? std::strong_ordering::less : std::strong_ordering::greater;
}

Rational power(const Rational& x, std::int64_t n) {
  const bool odd = n % 2 != 0;
  const auto size = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
  Rational result;
  result.numerator = power(n < 0 ? x.denominator : x.numerator, size);
  result.denominator = power(n < 0 ? x.numerator : x.denominator, size);
  if (result.zero()) return {};
  result.exponent = x.exponent * n;
  result.negative = x.negative && odd;
  return result;
}

std::int64_t floor(const Rational& x) {
  if (x.exponent >= 64) return 0;
  const Division parts =
      x.exponent >= 0 ? divide(whole_part(x), x.denominator) : divide(x.numerator, x.denominator << -x.exponent);
  const std::uint64_t size = parts.quotient.limb(0);
  const std::uint64_t below = x.negative ? 0 - size - (parts.rest.zero() ? 0 : 1) : size;
  return static_cast<std::int64_t>(below);
}

Leading leading(const Rational& x) {
  const std::int64_t shift = std::max<std::int64_t>(x.denominator.bit_length() - x.numerator.bit_length() + 130, 0);
  const Division parts = divide(x.numerator << shift, x.denominator);
  Leading result = leading(parts.quotient, x.exponent - shift);
  result.more = result.more || !parts.rest.zero();
  return result;
}

PerfectPower perfect_power(const Rational& x) {
  const bool two = x.numerator.one() && x.denominator.one();
  if (two) return {Rational(Dyadic{1, x.exponent < 0 ? -1 : 1, false}), x.exponent < 0 ? -x.exponent : x.exponent};
  PerfectPower result = {x, 1};
  if (std::max(x.numerator.bit_length(), x.denominator.bit_length()) > 1 << 12) return result;
  // An odd number below 2^b is no power beyond the (b / 1.58)th of another.
  const auto odd_parts = [&] {
    return std::max(result.root.numerator.bit_length(), result.root.denominator.bit_length());
  };
  for (std::int64_t n = 2; 3 * n <= 2 * odd_parts() + 2;) {
    const auto degree = static_cast<std::uint64_t>(n);
    const Rational& whole = result.root;
    if (whole.exponent % n == 0) {
      Rational r;
      r.numerator = root(whole.numerator, degree);
      r.denominator = root(whole.denominator, degree);
      r.exponent = whole.exponent / n;
      if (power(r, n) == whole) {
        result = {r, result.multiplicity * n};
        continue;
      }
    }
    n += n == 2 ? 1 : 2;
  }
  return result;
}

}  // namespace posenc::numerics
