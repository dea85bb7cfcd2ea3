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

}  // namespace

std::optional<Factor> factor(const numerics::Real& scale) {
  Factor made = {numerics::scale(scale), 0, 0, {}};
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
  made.exponent = static_cast<int>(bits >> 52) - (is_power ? 1023 : 1022);
  made.in = {*f32, *nearest, *f16, *bf16};
  return made;
}

}  // namespace posenc::engine
