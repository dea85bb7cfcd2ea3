// SPDX-License-Identifier: Apache-2.0
// Ziv's rounding test: does an approximation of a real number tell how that rounds?
//
// Let v be within d of the real number x. Rounding to nearest is monotone, so RN(v - d) <= RN(x) <= RN(v + d): where
// both ends round alike, that is RN(x). They do if no rounding boundary, half-way between two neighbours of the type,
// lies within d of v. Otherwise x is in doubt. The test takes two forms:
//
//   both ends rounded   settle() below, and NearestBetween of rounding_test-inl.h
//   distance of a tie   in_doubt() below, Nearest of rounding_test-inl.h: an f64 v of T's normal range lies between
//                       boundaries where the bits that T drops are 10..0. With d <= u units of v's last place v is
//                       decided where those bits are u or more away from 10..0. Powers of two, where units change, are
//                       2^(52 - precision) units from a boundary at least, on either side.
//
// d is stated once beside each producer of values, as an ErrorBound, or an error held by each value.
#pragma once

#include <algorithm>

#include "src/numerics/bignum.h"

namespace posenc::numerics {

// ---- both ends ------------------------------------------------------------------------------------

/// A real number known to lie within `error` units of the last place of `significand`; top bit set as in Leading.
struct Approximation {
  bool negative;
  uint128 significand;
  std::int64_t exponent;
  uint128 error;
};

/// Is a boundary of T's normal range further away than the error? It is where the bits that T drops are further from
/// 10..0; the one below a power of two is a quarter of a unit away.
template <class T>
constexpr bool is_far_from_ties(const Approximation& x) {
  constexpr int precision = Format<T>::precision;
  if (x.exponent - 1 < Format<T>::minimum || x.error >> (126 - precision) != 0) return false;
  const uint128 dropped = x.significand << precision, error = x.error << precision;
  return dropped - ((uint128{1} << 127) - error) > 2 * error;
}

/// RN of the number, or nothing when the error bound leaves two candidates.
template <class T>
constexpr std::optional<T> settle(const Approximation& x) {
  if (is_far_from_ties<T>(x)) return round<T>(x.negative, {x.significand, x.exponent, false});
  if (x.error >= uint128{1} << 120) return std::nullopt;
  Leading low = {x.significand - x.error, x.exponent, false};
  if (low.significand >> 127 == 0) {
    low.significand <<= 1;
    --low.exponent;
  }
  Leading high = {x.significand + x.error, x.exponent, false};
  if (high.significand < x.significand) {  // the sum passed 2^128
    high = {uint128{1} << 127 | high.significand >> 1, x.exponent + 1, (high.significand & 1) != 0};
  }
  const T a = round<T>(x.negative, low), b = round<T>(x.negative, high);
  return a == b ? std::optional(a) : std::nullopt;
}

/// A real number within 2^error_bits units of +- significand * 2^exponent.
struct Enclosure {
  bool negative;
  Bignum significand;
  std::int64_t exponent;
  std::int64_t error_bits;
};

template <class T>
std::optional<T> settle(const Enclosure& x) {
  if (x.error_bits >= x.significand.bit_length()) return std::nullopt;  // 0 may be in it
  const Bignum error = Bignum(1) << x.error_bits;
  const T a = round<T>(x.negative, leading(x.significand - error, x.exponent));
  const T b = round<T>(x.negative, leading(x.significand + error, x.exponent));
  return a == b ? std::optional(a) : std::nullopt;
}

// ---- distance of a tie ----------------------------------------------------------------------------

/// What is known of f64 values: one of size 2^smallest to 2^(smallest + 1) is off by less than 2^error, larger ones by
/// no more units of their last place. Of smaller ones nothing is known.
struct ErrorBound {
  int error, smallest;

  constexpr std::uint64_t units() const { return std::uint64_t{1} << (error - (smallest - 52)); }
};
/// Of values of size 2^smallest or more that are off by less than 2^error of themselves.
constexpr ErrorBound relative_error(int error, int smallest) { return {error + smallest + 1, smallest}; }

/// The highest of the bits that T drops from an f64.
template <class T>
inline constexpr std::uint64_t tie_bits = std::uint64_t{1} << (52 - Format<T>::precision);

/// Of the bits of an f64 value, as long as that is not 0 or T's subnormal.
template <class T>
constexpr bool in_doubt(std::uint64_t bits, ErrorBound bound) {
  const int smallest = std::max(bound.smallest, Format<T>::minimum);
  const std::uint64_t size = bits << 1 >> 1, units = bound.units();
  return (size & (2 * tie_bits<T> - 1)) - (tie_bits<T> - units) < 2 * units ||
         size < static_cast<std::uint64_t>(smallest + 1023) << 52;
}

/// RN of an f64 value that is not in doubt.
template <class T>
constexpr T rounded_bits(std::uint64_t bits) {
  return T(static_cast<float>(std::bit_cast<double>((bits + tie_bits<T>)&~(2 * tie_bits<T> - 1))));
}

}  // namespace posenc::numerics
