// SPDX-License-Identifier: Apache-2.0
// Correctly rounded exp, log and pow, all by the certain path: recipes need few values.
#include "src/numerics/elementary.h"

#include <algorithm>
#include <limits>

namespace posenc::numerics {
namespace {

// e^y for a fixed-point y of F bits that is off by less than 2^error_bits units.
Enclosure enclose_exp(const Signed& y, std::int64_t F, std::int64_t error_bits) {
  const Exponential power = exp(y, F);
  return {false, power.scale, power.exponent - F, std::max<std::int64_t>(error_bits, 40) + 4};
}

// The exact power x^y where it has few enough bits to be a number of T or to lie half-way between two: x^y = root^n
// with x the root's 2^c-th power and y = n / 2^c. All other powers are irrational or have more bits than any boundary.
std::optional<Dyadic> exact_power(Dyadic x, Dyadic y) {
  const int shift = std::countr_zero(x.mantissa);
  x.mantissa >>= shift;
  x.exponent += shift;
  if (y.zero() || (x.mantissa == 1 && x.exponent == 0)) return Dyadic{1, 0, false};
  const int y_shift = std::countr_zero(y.mantissa);
  y.mantissa >>= y_shift;
  y.exponent += y_shift;
  for (; y.exponent < 0; ++y.exponent) {  // a square root each time; odd mantissas stay odd
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 31; bit != 0; bit >>= 1) {
      const std::uint64_t trial = root | bit;
      if (trial * trial <= x.mantissa) root = trial;
    }
    if (root * root != x.mantissa || x.exponent % 2 != 0) return std::nullopt;
    x = {root, x.exponent / 2, false};
  }
  if (x.mantissa != 1 && (y.negative || y.exponent > 6 || y.mantissa > 64)) return std::nullopt;
  if (y.exponent > 12 || y.mantissa > 4096) return std::nullopt;  // 2^+-4096 is beyond every type: no boundary is near
  const auto n = y.mantissa << y.exponent;
  if (n > 4096) return std::nullopt;
  std::uint64_t power = 1;
  if (x.mantissa != 1) {
    for (std::uint64_t i = 0; i < n; ++i) {
      if (std::bit_width(power) + std::bit_width(x.mantissa) > 62) return std::nullopt;
      power *= x.mantissa;
    }
  }
  const int exponent = x.exponent * static_cast<int>(n);
  return Dyadic{power, y.negative ? -exponent : exponent, false};
}

}  // namespace

template <class T>
T exp_rounded(double x) {
  if (x != x) return std::numeric_limits<T>::quiet_NaN();
  if (x == 0) return T(1);
  if (x > 1e4) return std::numeric_limits<T>::infinity();
  if (x < -1e4) return T(0);
  const Dyadic d = dyadic(x);
  const auto enclosure = [&](std::int64_t bits) {
    const std::int64_t F = bits + 64;
    const Bignum size =
        d.exponent + F >= 0 ? Bignum(d.mantissa) << (d.exponent + F) : Bignum(d.mantissa) >> -(d.exponent + F);
    return enclose_exp({d.negative, size}, F, 1);
  };
  return by_theorem(Theorem::lindemann, settle_certainly<T>(enclosure));
}

template <class T>
T log_rounded(double x) {
  if (x == 1) return T(0);
  const auto enclosure = [&](std::int64_t bits) {
    const std::int64_t F = bits + 128;  // ln x is at least 2^-53 in size
    const Signed y = log(dyadic(x), F);
    return Enclosure{y.negative, y.size, -F, 44};
  };
  return by_theorem(Theorem::lindemann, settle_certainly<T>(enclosure));
}

template <class T>
T pow_rounded(double x, double y) {
  const Dyadic d = dyadic(y);
  if (const std::optional<Dyadic> power = exact_power(dyadic(x), d)) return round<T>(*power);
  // |ln x| is at least 2^-53 and below 745: the power overflows or underflows every type when |y| is beyond 2^66.
  const bool grows = (x > 1) != d.negative;
  const T beyond = grows ? std::numeric_limits<T>::infinity() : T(0);
  if (y > 0x1p66 || y < -0x1p66) return beyond;
  const Signed rough = log(dyadic(x), 128);
  const double exponent = y * static_cast<double>((rough.size >> 64).limb(0)) * 0x1p-64 +
                          y * static_cast<double>((rough.size >> 128).limb(0));
  if (exponent > 1e4 || exponent < -1e4) return beyond;
  const auto enclosure = [&](std::int64_t bits) {
    const std::int64_t F = bits + 192;
    Signed e = log(dyadic(x), F);
    e.size = e.size * d.mantissa;
    e.size = d.exponent >= 0 ? e.size << d.exponent : e.size >> -d.exponent;
    e.negative ^= d.negative;
    const std::int64_t growth = 53 + d.exponent;  // of ln x's error: below 2^30 units a series, 2^11 of them in k ln 2
    return enclose_exp(e, F, 42 + (growth > 0 ? growth : 0));
  };
  return by_theorem(Theorem::irrational_algebraic, settle_certainly<T>(enclosure));
}

float gaussian_rounded(std::uint32_t a, std::uint32_t b) {
  if (a == 0xFFFFFFFFu || b << 1 == 0x80000000u) return 0.0f;  // u1 = 1; u2 = 1/4 or 3/4
  const auto enclosure = [&](std::int64_t bits) {
    // z^2 = -2 ln u1 cos^2(2 pi u2) >= 2^-31 2^-59, off by less than 2^60 units; so z by less than 2^60 2^45.
    const std::int64_t F = bits + 256;
    const Bignum minus_two_log = log({std::uint64_t{a} + 1, -32}, F).size * 2;
    const Enclosure cosine = enclose(Wave::cosine, {Bignum(b) << F, F + 32, 0}, F);
    const Bignum c = cosine.exponent + F >= 0 ? cosine.significand << (cosine.exponent + F)
                                              : cosine.significand >> -(cosine.exponent + F);
    return Enclosure{cosine.negative, root(minus_two_log * c * c >> F, 2), -F, 106};
  };
  return by_theorem(Theorem::lindemann, settle_certainly<float>(enclosure));
}

template <class T>
T frequency_rounded(const Frequency& w) {
  return by_theorem(Theorem::irrational_algebraic, rounded<T>(real(w)));
}

template float exp_rounded<float>(double);
template double exp_rounded<double>(double);
template float log_rounded<float>(double);
template double log_rounded<double>(double);
template float pow_rounded<float>(double, double);
template double pow_rounded<double>(double, double);
template float frequency_rounded<float>(const Frequency&);
template double frequency_rounded<double>(const Frequency&);

}  // namespace posenc::numerics
