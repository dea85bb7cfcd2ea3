// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of a position, times the factors of its pairs: an operation of f32 each.
#include "src/encodings/step_turns.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/base/scratch.h"
#include "src/encodings/recipe_waves.h"

namespace posenc {
namespace {

// 1 / k!
constexpr std::array<double, 14> inverse_factorials = [] {
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
  double sum = inverse_factorials.back();
  for (std::size_t k = inverse_factorials.size() - 1; k-- > 0;) sum = inverse_factorials[k] + sum * r;
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

// RN(z^x). The exponent x ln z is off by less than 64 2^-48, and e to it by 2^-51 more: where both ends of 2^-41 round
// alike, that is it.
std::optional<float> power(double z, double log, float x) {
  const double t = log * static_cast<double>(x);
  if (std::abs(t) <= 64) {
    const double near = exponential(t);
    const auto low = static_cast<float>(near * (1 - 0x1p-41)), high = static_cast<float>(near * (1 + 0x1p-41));
    if (low == high) return low;
  }
  if (std::isnan(log) || !std::isfinite(x)) return std::numeric_limits<float>::quiet_NaN();
  return numerics::pow_rounded<float>(numerics::base(z), static_cast<double>(x));
}

}  // namespace

StepTurns::StepTurns(const plan::PairPlan& plan, const Steps& steps, const StepLadder& ladder)
    : plan_(plan), steps_(steps), ladder_(ladder) {
  for (const double z : ladder_.decay->factors) logs_.push_back(near_log(z));
}

bool StepTurns::write_factors(const numerics::Dyadic& p, Side side, float* factors) const {
  const auto& [z, centre, period] = *ladder_.decay;
  const float x = (numerics::round<float>(p) - static_cast<float>(centre)) / static_cast<float>(period);
  const bool inverse = side == Side::key && steps_.decay == DecayBy::reciprocal;
  bool decided = true;
  for (std::size_t k = 0; k < plan_.pairs.size(); ++k) {
    const std::optional<float> factor = power(z[k], logs_[k], x);
    decided &= factor.has_value();
    factors[k] = inverse ? 1 / factor.value_or(1) : factor.value_or(1);
  }
  return decided;
}

float StepTurns::decayed(float value, float factor, Side side) const {
  const bool over = side == Side::key && steps_.decay == DecayBy::quotient;
  return over ? value / factor : value * factor;
}

bool StepTurns::write_rows(const Positions& positions, const RowRange& range, Side side, float* out,
                           std::int64_t stride) const {
  const std::size_t n = plan_.pairs.size(), frequencies = ladder_.entries.size();
  const bool two_angles = !plan::turns_by_one_angle(plan_);
  const float sign = plan_.turning == plan::Turning::backward ? -1.0f : 1.0f;
  const Scratch<float> scratch(n + 2 * frequencies);
  float *const factors = scratch.data(), *const sine = factors + n, *const cosine = sine + frequencies;
  bool decided = true;
  for (std::int64_t i = 0; i < range.count; ++i, out += stride) {
    const numerics::Dyadic p = position_at(positions, range.b, range.first + i);
    decided &= write_factors(p, side, factors);
    decided &= recipe_waves<float>(steps_, ladder_, p, {sine, cosine, frequencies, frequencies, 1});
    for (std::size_t k = 0; k < n; ++k) {
      const auto put = [&](const plan::Angle& angle, float* c, float* s) {
        const bool stands = angle.axis == plan::no_axis;
        *c = decayed(stands ? 1 : cosine[angle.frequency], factors[k], side);
        *s = sign * decayed(stands ? 0 : sine[angle.frequency], factors[k], side);
      };
      put(plan_.pairs[k].angles[0], out + k, out + n + k);
      if (two_angles) put(plan_.pairs[k].angles[1], out + 3 * n + k, out + 2 * n + k);
    }
  }
  return decided;
}

}  // namespace posenc
