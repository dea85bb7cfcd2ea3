// SPDX-License-Identifier: Apache-2.0
// Whole numbers of quarter turns, as congruences of rows.
#include "src/engine/tables/exact_zeros.h"

#include <bit>

namespace posenc::engine {
namespace {

// n modulo m, from 0 on.
std::uint64_t modulo(std::int64_t n, std::uint64_t m) {
  if (n >= 0) return static_cast<std::uint64_t>(n) % m;
  const std::uint64_t below = (0 - static_cast<std::uint64_t>(n)) % m;
  return below == 0 ? 0 : m - below;
}

// Euclid's algorithm: a * inverse = divisor modulo m, m < 2^63.
struct Common {
  std::uint64_t divisor, inverse;
};
Common common(std::uint64_t a, std::uint64_t m) {
  std::uint64_t r = a, next_r = m;
  std::int64_t s = 1, next_s = 0;
  while (next_r != 0) {
    const std::uint64_t quotient = r / next_r, rest = r % next_r;
    const std::int64_t t = s - static_cast<std::int64_t>(quotient) * next_s;
    r = next_r, next_r = rest;
    s = next_s, next_s = t;
  }
  return {r, modulo(s, m)};
}

}  // namespace

// The angle is m times numerator / denominator 2^e quarter turns at mantissa m, with an odd numerator. A sine is 0
// where that is even, at multiples of period = denominator 2^max(1 - e, 0); a cosine where it is odd, half-way between
// them.
ZeroRows zero_rows(const numerics::QuarterTurns& w, unsigned quarters, std::int64_t start, std::int64_t step,
                   int exponent) {
  const bool sine = quarters % 2 == 0;
  if (w.denominator == 0) return {};
  if (w.numerator == 0) return sine ? ZeroRows{0, 1} : ZeroRows{};
  const int e = w.exponent + exponent, twos = e < 1 ? 1 - e : 0;
  if ((!sine && e > 0) || std::bit_width(w.denominator) + twos > 63) return {};
  const std::uint64_t period = w.denominator << twos, phase = sine ? 0 : period / 2;
  const std::uint64_t from_start =
      w.denominator == 1 ? (phase - static_cast<std::uint64_t>(start)) & (period - 1)  // the usual case, no division
                         : (phase + period - modulo(start, period)) % period;
  if (step == 1) return {from_start, period};
  const auto [divisor, inverse] = common(modulo(step, period), period);
  if (from_start % divisor != 0) return {};
  const std::uint64_t rows = period / divisor;
  return {static_cast<std::uint64_t>(numerics::uint128{from_start / divisor} * inverse % rows), rows};
}

}  // namespace posenc::engine
