// SPDX-License-Identifier: Apache-2.0
// Factors, rounded once to each type.
#include "src/engine/tables/factor.h"

namespace posenc::engine {
namespace {

// By its leading bits, where they tell.
template <class T>
std::optional<T> rounded(const numerics::Scale& scale) {
  if (const std::optional<T> quick = numerics::settle<T>(*scale.leading)) return quick;
  return numerics::rounded<T>(scale.value);
}

// The scale less its nearest double, which is a whole number of units of the significand's last place.
double rest_of(const numerics::Approximation& scale, const numerics::Dyadic& nearest) {
  const auto unit = static_cast<int>(scale.exponent) - 128;
  const numerics::uint128 left = scale.significand - (numerics::uint128{nearest.mantissa} << (nearest.exponent - unit));
  constexpr int cut = 20;  // |left| < 2^76; what is cut are the last bits of 128
  const auto kept = static_cast<double>(static_cast<std::int64_t>(left >> cut));
  const double size = kept * std::bit_cast<double>(static_cast<std::uint64_t>(unit + cut + 1023) << 52);
  return scale.negative ? -size : size;
}

}  // namespace

std::optional<Factor> factor(const numerics::Real& scale) {
  Factor made = {numerics::scale(scale), 0, 0, 0, {}};
  if (!made.exact.leading) return std::nullopt;
  const std::optional<double> nearest = rounded<double>(made.exact);
  const std::optional<float> f32 = rounded<float>(made.exact);
  const std::optional<half> f16 = rounded<half>(made.exact);
  const std::optional<bfloat16> bf16 = rounded<bfloat16>(made.exact);
  if (!nearest || !f32 || !f16 || !bf16) return std::nullopt;
  const double size = *nearest < 0 ? -*nearest : *nearest;
  if (!(size >= 0x1p-8 && size <= 0x1p2)) return std::nullopt;
  static_assert(least_factor == -8 && greatest_factor == 2);
  const auto bits = std::bit_cast<std::uint64_t>(size);
  const bool is_power = (bits & 0xFFFFFFFFFFFFFu) == 0;
  made.nearest = *nearest;
  made.rest = rest_of(*made.exact.leading, numerics::dyadic(*nearest));
  made.exponent = static_cast<int>(bits >> 52) - (is_power ? 1023 : 1022);
  made.in = {*f32, *nearest, *f16, *bf16};
  return made;
}

}  // namespace posenc::engine
