// SPDX-License-Identifier: Apache-2.0
// The output types beside the oracle's formats, and the library's integers as numbers of MPFR.
#pragma once

#include "src/numerics/enclosure.h"
#include "tests/oracle/value.h"

namespace posenc::numerics {

template <class T>
inline constexpr oracle::Format format = oracle::f64;
template <>
inline constexpr oracle::Format format<float> = oracle::f32;
template <>
inline constexpr oracle::Format format<half> = oracle::f16;
template <>
inline constexpr oracle::Format format<bfloat16> = oracle::bf16;

template <class T>
double widened(T x) {
  if constexpr (std::is_same_v<T, double>)
    return x;
  else
    return static_cast<double>(static_cast<float>(x));
}

inline oracle::Value value(const Bignum& n, std::int64_t exponent) {
  oracle::Value x(0);
  for (std::size_t limb = static_cast<std::size_t>(n.bit_length() + 63) / 64; limb-- > 0;) {
    mpfr_mul_2ui(x.get(), x.get(), 64, MPFR_RNDN);
    mpfr_add_ui(x.get(), x.get(), n.limb(limb), MPFR_RNDN);
  }
  mpfr_mul_2si(x.get(), x.get(), static_cast<long>(exponent), MPFR_RNDN);
  return x;
}

inline oracle::Value value(const Rational& x) {
  const oracle::Value size = value(x.numerator, x.exponent) / value(x.denominator, 0);
  return x.negative ? oracle::Value(0) - size : size;
}

/// Is x in the enclosure?
inline bool holds(const Enclosure& e, const oracle::Value& x) {
  const oracle::Value size = value(e.significand, e.exponent);
  oracle::Value off = (e.negative ? oracle::Value(0) - size : size) - x;
  mpfr_abs(off.get(), off.get(), MPFR_RNDN);
  return off < value(Bignum(1), e.exponent + e.error_bits) + value(Bignum(1), e.exponent - 2000);
}

}  // namespace posenc::numerics
