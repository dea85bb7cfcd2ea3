// SPDX-License-Identifier: Apache-2.0
// Rounding of a real number, given by its leading bits, to f64, f32, bf16 or f16: once, to nearest, ties to even.
#pragma once

#include <posenc/core.h>

#include <limits>

#include "src/numerics/dyadic.h"

namespace posenc::numerics {

/// precision: bits of the significand; minimum: exponent of the least normal number 2^minimum; the bias is 1 - minimum.
template <class T>
struct Format;
template <>
struct Format<double> {
  static constexpr int precision = 53, minimum = -1022;
  using Bits = std::uint64_t;
};
template <>
struct Format<float> {
  static constexpr int precision = 24, minimum = -126;
  using Bits = std::uint32_t;
};
template <>
struct Format<bfloat16> {
  static constexpr int precision = 8, minimum = -126;
  using Bits = std::uint16_t;
};
template <>
struct Format<half> {
  static constexpr int precision = 11, minimum = -14;
  using Bits = std::uint16_t;
};

template <class T>
constexpr T from_bits(typename Format<T>::Bits bits) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<T>(bits);
  } else {
    return T::from_bits(bits);
  }
}

/// A real number in [2^(exponent - 1), 2^exponent): significand / 2^128 * 2^exponent, the top bit of the significand
/// set; `more` says that further bits follow, not all of them zero.
struct Leading {
  uint128 significand;
  std::int64_t exponent;
  bool more;
};

/// RN of +- the number. Overflow gives infinity, underflow a subnormal or zero.
template <class T>
constexpr T round(bool negative, const Leading& x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  constexpr int width = std::numeric_limits<Bits>::digits;
  constexpr Bits infinity = static_cast<Bits>(((Bits{1} << (width - F::precision)) - 1) << (F::precision - 1));
  const Bits sign = static_cast<Bits>(Bits{negative} << (width - 1));

  const std::int64_t exponent = x.exponent - 1;  // of the leading bit
  if (exponent > 1 - F::minimum) return from_bits<T>(static_cast<Bits>(sign | infinity));
  const bool normal = exponent >= F::minimum;
  const std::int64_t kept = normal ? F::precision : F::precision - (F::minimum - exponent);
  if (kept < 0) return from_bits<T>(sign);

  const int drop = 128 - static_cast<int>(kept);  // 75 to 128
  const uint128 whole = drop == 128 ? 0 : x.significand >> drop;
  const uint128 rest = drop == 128 ? x.significand : x.significand & ((uint128{1} << drop) - 1);
  const uint128 tie = uint128{1} << (drop - 1);
  const bool up = rest > tie || (rest == tie && (x.more || (whole & 1) != 0));
  const auto significand = static_cast<std::uint64_t>(whole) + (up ? 1 : 0);
  // A normal number's hidden bit adds 1 to the exponent field, a carry adds 1 more: both are as they must be.
  const std::uint64_t field = normal ? static_cast<std::uint64_t>(exponent - F::minimum) << (F::precision - 1) : 0;
  return from_bits<T>(static_cast<Bits>(sign | static_cast<Bits>(field + significand)));
}

/// RN of a binary fraction.
template <class T>
constexpr T round(const Dyadic& x) {
  if (x.zero()) return from_bits<T>(0);
  const int shift = std::countl_zero(x.mantissa);
  return round<T>(x.negative, {uint128{x.mantissa} << (64 + shift), x.exponent + 64 - shift, false});
}

}  // namespace posenc::numerics
