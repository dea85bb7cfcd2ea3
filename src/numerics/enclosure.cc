// SPDX-License-Identifier: Apache-2.0
// Arithmetic of enclosures. An error of 2^i units and another of 2^j are at most 2^(max(i, j) + 1); a cut is one unit.
#include "src/numerics/enclosure.h"

#include <algorithm>
#include <bit>

#include "src/numerics/smooth.h"

namespace posenc::numerics {
namespace {

constexpr std::int64_t anything = std::int64_t{1} << 40;

// The same number with at most `bits` bits.
Enclosure cut(Enclosure x, std::int64_t bits) {
  const std::int64_t excess = x.significand.bit_length() - bits;
  if (excess <= 0) return x;
  x.significand = x.significand >> excess;
  x.exponent += excess;
  x.error_bits = std::max<std::int64_t>(x.error_bits - excess, 0) + 1;
  return x;
}

// The same number in units of 2^exponent.
Enclosure in_units(Enclosure x, std::int64_t exponent) {
  const std::int64_t shift = x.exponent - exponent;
  x.exponent = exponent;
  if (shift >= 0) {
    x.significand = x.significand << shift;
    x.error_bits += shift;
  } else {
    x.significand = x.significand >> -shift;
    x.error_bits = std::max<std::int64_t>(x.error_bits + shift, 0) + 1;
  }
  return x;
}

// The relative error is below 2^-(bits) of this.
std::int64_t relative_error(const Enclosure& x) { return x.error_bits - (x.significand.bit_length() - 1); }

// ln(m / c), m = value / 2^F and c near it, as 2 atanh((m - c) / (m + c)), in units of 2^-F: fewer than F terms, each
// cut by less than 4 units, so that it is off by less than 2^20 of them.
Signed log_of_ratio(const Bignum& value, const Smooth& c, std::int64_t F) {
  const auto powers = [](std::int64_t threes, std::int64_t fives) {
    std::uint64_t product = 1;
    for (; threes > 0; --threes) product *= 3;
    for (; fives > 0; --fives) product *= 5;
    return product;
  };
  const Bignum of_m = value * powers(-c.threes, -c.fives), of_c = Bignum(powers(c.threes, c.fives)) << (F + c.twos);
  const bool below = of_m < of_c;
  const Bignum t = ((below ? of_c - of_m : of_m - of_c) << F) / (of_m + of_c);
  const Bignum square = t * t >> F;
  Bignum sum, power = t;
  for (std::uint64_t i = 1; !power.zero(); i += 2) {
    sum = sum + power / i;
    power = power * square >> F;
  }
  return {below, sum * 2};
}

}  // namespace

Enclosure unknown() { return {false, {}, 0, anything}; }

int sign(const Enclosure& x) {
  if (x.error_bits >= x.significand.bit_length() - 1) return 0;
  return x.negative ? -1 : 1;
}

std::int64_t correct_bits(const Enclosure& x) { return -relative_error(x); }

Enclosure enclose(const Rational& x, std::int64_t bits) {
  if (x.zero()) return {false, {}, -anything, 0};
  const std::int64_t shift =
      std::max<std::int64_t>(bits + x.denominator.bit_length() - x.numerator.bit_length() + 1, 0);
  return cut({x.negative, (x.numerator << shift) / x.denominator, x.exponent - shift, 0}, bits);
}

Enclosure add(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
  if (a.error_bits >= anything || b.error_bits >= anything) return unknown();
  const auto top = [](const Enclosure& x) { return x.exponent + std::max(x.significand.bit_length(), x.error_bits); };
  const std::int64_t lowest = std::max(std::min(a.exponent, b.exponent), std::max(top(a), top(b)) - bits - 2);
  const Enclosure x = in_units(a, lowest), y = in_units(b, lowest);
  const Signed sum = Signed{x.negative, x.significand} + Signed{y.negative, y.significand};
  return cut({sum.negative, sum.size, lowest, std::max(x.error_bits, y.error_bits) + 1}, bits);
}

Enclosure multiply(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
  if (a.error_bits >= anything || b.error_bits >= anything) return unknown();
  const std::int64_t of_a = a.error_bits + b.significand.bit_length();
  const std::int64_t of_b = b.error_bits + a.significand.bit_length();
  const std::int64_t of_both = a.error_bits + b.error_bits;
  return cut({a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent,
              std::max({of_a, of_b, of_both}) + 2},
             bits);
}

// |a / b| (1 + s) / (1 + t) with |t| <= 1/4 is off by less than |a / b| (|s| + |t|) 4/3.
Enclosure divide(const Enclosure& a, const Enclosure& b, std::int64_t bits) {
  if (a.error_bits >= anything || relative_error(b) > -2) return unknown();
  const std::int64_t shift =
      std::max<std::int64_t>(bits + b.significand.bit_length() - a.significand.bit_length() + 1, 0);
  const Bignum quotient = (a.significand << shift) / b.significand;
  // a's own error of 2^i units is one of 2^(i + shift) / b in the quotient's.
  const std::int64_t of_a = a.error_bits + shift - (b.significand.bit_length() - 1);
  const std::int64_t of_b = quotient.bit_length() + relative_error(b);
  const std::int64_t error = std::max<std::int64_t>({of_a, of_b, 0}) + 3;
  return cut({a.negative != b.negative, quotient, a.exponent - shift - b.exponent, error}, bits);
}

Enclosure square_root(const Enclosure& x, std::int64_t bits) {
  if (relative_error(x) > -2 || x.negative) return unknown();
  std::int64_t shift = std::max<std::int64_t>(2 * bits + 2 - x.significand.bit_length(), 0);
  shift += (x.exponent - shift) % 2 != 0 ? 1 : 0;
  const Bignum result = root(x.significand << shift, 2);
  // sqrt(1 + s) is off by less than |s|.
  const std::int64_t error = std::max<std::int64_t>(result.bit_length() + relative_error(x), 0) + 1;
  return cut({false, result, (x.exponent - shift) / 2, error}, bits);
}

// x = 2^k m, m in [1/2, 1), is a smooth number c times m / c. Constants are off by less than 2^20 units a factor, m by
// two.
Enclosure log(const Enclosure& x, std::int64_t bits) {
  if (relative_error(x) > -2 || x.negative) return unknown();
  const std::int64_t F = bits + 64, of_x = F + relative_error(x);  // counts 4/3 times
  const bool smooth = F <= most_smooth_bits;
  SmoothPart part = smooth ? smooth_part(x.significand) : SmoothPart{{}, x.significand};
  part.smooth.twos += x.exponent;
  Signed of_ratio;
  if (!part.rest.one()) {
    const std::int64_t length = part.rest.bit_length();
    const double m = static_cast<double>(leading(part.rest, 0).significand >> 64) * 0x1p-64;
    const Smooth& near = nearest_smooth(m, smooth ? NearSmooth::any : NearSmooth::powers_of_two);
    of_ratio = log_of_ratio(length <= F ? part.rest << (F - length) : part.rest >> (length - F), near, F);
    part.smooth = part.smooth + Smooth{length} + near;
  }
  const Signed result = of_ratio + log(part.smooth, F);
  const std::int64_t own = 22 + static_cast<std::int64_t>(std::bit_width(factors(part.smooth)));
  return {result.negative, result.size, -F, std::max(own, of_x) + 2};
}

Enclosure exp(const Enclosure& x, std::int64_t bits) {
  const std::int64_t F = bits + 64;
  if (x.exponent + x.error_bits > -2 || x.exponent + x.significand.bit_length() > 30) return unknown();
  const Enclosure fixed = in_units(x, -F);  // its error is below 1/2, so that e^error - 1 is below twice the error
  const Exponential power = exp(Signed{fixed.negative, fixed.significand}, F);
  // The nearest multiple of ln 2 is off by less than 2^31 times 2^20 units.
  return cut({false, power.scale, power.exponent - F, std::max<std::int64_t>(fixed.error_bits, 52) + 4}, bits + 40);
}

Enclosure enclose_pi(std::int64_t bits) { return {false, pi(bits + 32), -bits - 32, 30}; }

}  // namespace posenc::numerics
