// SPDX-License-Identifier: Apache-2.0
// e^t and ln z in f64, each with its bound, and Ziv's rounding test of their power.
#include "src/numerics/f32_power.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/numerics/elementary.h"

namespace posenc::numerics {
namespace {

// 1 / k!
constexpr std::array<double, 14> reciprocal_factorials = [] {
  std::array<double, 14> made = {1};
  double factorial = 1;
  for (std::size_t k = 1; k < made.size(); ++k) made[k] = 1 / (factorial *= static_cast<double>(k));
  return made;
}();

// e^t for |t| <= 64. Off by less than 2^-51 of itself: the remainder of the series is below 2^-57, and r, at most 0.35,
// is off by 2^-54, n ln2 being a product of 33 and 7 bits and a rest.
double exponential(double t) {
  constexpr double ln2_head = 0x1.62E42FEFp-1, ln2_rest = 0x1.473DE6AF278EDp-34;
  const double n = std::nearbyint(t * std::numbers::log2e);
  const double r = (t - n * ln2_head) - n * ln2_rest;
  double sum = reciprocal_factorials.back();
  for (std::size_t k = reciprocal_factorials.size() - 1; k-- > 0;) sum = reciprocal_factorials[k] + sum * r;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + static_cast<std::int64_t>(n)) << 52);
}

// ln z of a number of f32, off by less than 2^-49 of itself: z is m 2^e with m from 1/2^0.5 to 2^0.5, ln m = 2
// atanh(s), s = (m - 1) / (m + 1) of at most 0.172 is off by 2^-53 of itself, and the remainder of the series is below
// 2^-60. Where e is not 0, e ln 2 is twice as large as ln m or more.
double near_log(double z) {
  if (!(z > 0) || !std::isfinite(z)) return std::numeric_limits<double>::quiet_NaN();
  int e = 0;
  double m = std::frexp(z, &e);
  if (m < std::numbers::sqrt2 / 2) m *= 2, --e;
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int k = 12; k > 0; --k) sum = (sum + 1.0 / (2 * k + 1)) * square;
  return e * std::numbers::ln2 + 2 * (s + s * sum);
}

}  // namespace

F32Power::F32Power(float z) : z_(z), log_(near_log(static_cast<double>(z))) {}

// The exponent x ln z is off by less than 64 2^-48, and e to it by 2^-51 more: where both ends of 2^-41 round alike,
// that is it.
std::optional<float> F32Power::operator()(float x) const {
  const double t = log_ * static_cast<double>(x);
  if (std::abs(t) <= 64) {
    const double near = exponential(t);
    const auto low = static_cast<float>(near * (1 - 0x1p-41)), high = static_cast<float>(near * (1 + 0x1p-41));
    if (low == high) return low;
  }
  if (std::isnan(log_) || !std::isfinite(x)) return std::numeric_limits<float>::quiet_NaN();
  return pow_rounded<float>(base(static_cast<double>(z_)), static_cast<double>(x));
}

}  // namespace posenc::numerics
