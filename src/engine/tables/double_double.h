// SPDX-License-Identifier: Apache-2.0
// Sines and cosines as sums of two doubles: the constants, and what evaluating them costs in digits.
//
// A double-double is high + low, |low| a few units of high's last place at most. Lanes of it are made where products
// are exact by one fused multiply-add; other instruction sets leave f64 to 128-bit integers (numerics/phase.h).
//
// A phase of 128 bits is reduced to rest, a quarter of a turn over 2^128, |rest| <= 2^127, and that to r = rest / 2^64
// as two doubles: r.high has the leading 53 bits, r.low <= 2^9 + 1 what is left down to 2^-52. With x = r pi / 2 /
// 2^64, |x| <= pi / 4, u = x^2:  sin x = x S(u),  cos x = C(u),  Taylor's series to x^23 and x^22.
//
// Errors. What r.low cuts is 2^-52 of pi / 2 / 2^64: 2^-115.3 of x, absolute. Relative to x: r.low rounds to 2^-106, pi
// / 2 is known to 2^-106, x.low, below 2.5 * 2^-53, rounds twice, 2^-104.6 each, and r.low's product with pi's low
// part, 2^-107, is left out: below 2^-103 in all. u: twice that, 2^-103.3 for x.low^2 and 2^-104 for a rounding: below
// 2^-101.
//
// A step c + u s of Horner's rule has |u s| <= 0.31 |c| (the sine's 0.11), so that high - c is exact (Sterbenz). Its
// low part is below 2.5 * 2^-53 |c| and rounds four times, 2^-104.6 each, and u.low s.low, 2^-105, is left out: below
// 2^-102 of the sum. With 0.45 times the errors of u and s that stays below 2^-99 from step to step; x S(u) adds
// 2^-102.
//
// The terms from number 6 on are one double, right to 2^-51.9 of the first of them: its coefficient and the last sum
// round once, u.low and what comes after count for little. That term is at most u^6 / 13! = 2^-36.7 of the sine and
// u^6 / 12! = 2^-33 of 1, and a cosine is 0.70 or more: 2^-84.4 of it. What the series leave out is below u^12 / 24! =
// 2^-87.3, 2^-86.8 of a cosine. All together: below 2^-84.1 of sine and cosine each, whichever of the two is the sine
// of the reduced angle, and times a factor, known to 2^-104 of itself. Stated twice as large, so that the roundings of
// low -+ error and of the error itself, 2^-105 and 2^-52 of each, need no count of their own.
//
// A phase that is off by n units of 2^-128 turns adds n 2^-125.3, as an absolute error: no derivative is above 1.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "src/numerics/dyadic.h"

namespace posenc::engine {

/// Of a wave: relative to itself, and beside the error of its phase.
inline constexpr double wide_relative_error = 0x1p-83, wide_absolute_error = 0x1p-113;
/// A unit of a phase, 2^-128 turns, in radians: 2^-125.3, and a quarter more.
inline constexpr double wide_phase_unit = 0x1p-125;

/// Of normal doubles.
constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// pi / 2 / 2^64
inline constexpr double quarter_high = 0x1.921fb54442d18p-64, quarter_low = 0x1.1a62633145c07p-118;

struct Constant {
  double high, low;
};

/// 1 / n, n < 2^27.
constexpr Constant reciprocal(std::uint64_t n) {
  __extension__ using int128 = __int128;
  const double high = 1 / static_cast<double>(n);
  const numerics::Dyadic d = numerics::dyadic(high);
  const auto rest = static_cast<std::int64_t>((int128{1} << -d.exponent) - int128{d.mantissa} * n);
  return {high, static_cast<double>(rest) / static_cast<double>(n) * power_of_two(d.exponent)};
}

/// (-1)^i / (2 i + first)!: the first ones as two doubles, the others rounded once (their factorials, up to 23!, once
/// more).
struct DoubledSeries {
  static constexpr std::size_t doubled = 6, all = 12;
  std::array<Constant, doubled> leading = {};
  std::array<double, all - doubled> rest = {};

  constexpr explicit DoubledSeries(int first) {
    std::uint64_t exact = 1;
    double factorial = 1;
    double sign = 1;
    int n = first;
    for (std::size_t i = 0; i < all; ++i, sign = -sign) {
      if (i < doubled) {
        const Constant c = reciprocal(exact);
        leading[i] = {sign * c.high, sign * c.low};
      } else {
        rest[i - doubled] = sign / factorial;
      }
      for (int k = 0; k < 2; ++k) {
        ++n;
        if (i + 1 < doubled) exact *= static_cast<std::uint64_t>(n);
        factorial *= n;
      }
    }
  }
};
inline constexpr DoubledSeries doubled_sine(1), doubled_cosine(0);

}  // namespace posenc::engine
