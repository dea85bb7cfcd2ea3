// SPDX-License-Identifier: Apache-2.0
// The logarithm and the exponential: reduced by powers of two, then their series.
#include "src/referee/logarithm.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace posenc::referee {
namespace {

// ln 2 in two parts: products of the first one with exponents of doubles are exact.
constexpr double log2_high = 0x1.62e42fefap-1, log2_low = 0x1.cf79abc9e3b39p-40;

}  // namespace

double log_of(double x) {
  if (!(x > 0) || !(x < std::numeric_limits<double>::infinity())) return 0;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  constexpr double root_half = 0.7071067811865476;
  if (m < root_half) m *= 2, --exponent;
  // ln m = 2 atanh t, |t| < 0.172: 12 terms of the series leave 0.172^25 / 25 < 2^-68.
  const double t = (m - 1) / (m + 1), square = t * t;
  double sum = 0;
  for (int k = 11; k >= 0; --k) sum = 1.0 / (2 * k + 1) + square * sum;
  return exponent * log2_high + (2 * t * sum + exponent * log2_low);
}

double exp_of(double x) {
  constexpr double most = 800;  // beyond all doubles
  if (std::isnan(x)) return 0;
  const double n = std::rint(std::clamp(x, -most, most) / log2_high);
  const double rest = (x - n * log2_high) - n * log2_low;
  // |rest| < 0.35: 16 terms leave 0.35^17 / 17! < 2^-74.
  double sum = 1;
  for (int k = 16; k >= 1; --k) sum = 1 + rest / k * sum;
  if (std::abs(x) > most) return x < 0 ? 0 : std::numeric_limits<double>::infinity();
  return std::ldexp(sum, static_cast<int>(n));
}

}  // namespace posenc::referee
