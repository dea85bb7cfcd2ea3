// SPDX-License-Identifier: Apache-2.0
// Entries in doubt, one by one.
#include "src/engine/tables/ziv_fallback.h"

#include <cmath>
#include <optional>

#include "src/base/elements.h"
#include "src/engine/tables/sines.h"

namespace posenc::engine {
namespace {

// RN to a multiple of 2^-24, which f16 has below 2^-14, if the value tells how it rounds and which sign it has.
std::optional<half> subnormal(double value, double error) {
  const double size = std::abs(value);
  if (size < 2 * error || size >= 0x1p-14) return {};
  const double steps = size * 0x1p24, whole = std::floor(steps), beyond_tie = steps - whole - 0.5;
  if (std::abs(beyond_tie) < 2 * error * 0x1p24) return {};
  return half(static_cast<float>(std::copysign((whole + (beyond_tie > 0)) * 0x1p-24, value)));
}

bool below(double value, int exponent) {
  return std::abs(value) < std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// RN of a wave's value, if it tells.
template <class T>
std::optional<T> settled_wave(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool is_small = below(value, sines.smallest);
  if (!numerics::in_doubt<T>(bits, is_small ? small_sines : relative_sines)) return numerics::rounded_bits<T>(bits);
  if constexpr (std::is_same_v<T, half>) return subnormal(value, 0x1p-60);
  return std::nullopt;
}
static_assert(small_sines.error == -60);

// The same of a wave times the factor. Below 2^-14 that is off by less than 2^-57: by 2^-60 times a factor of up to 4,
// or where the wave is 2^-12 or more by 2^-46 of itself.
template <class T>
std::optional<T> settled_product(const Factor& factor, double wave) {
  const double value = wave * factor.nearest;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (!below(wave, -20) &&
      !numerics::in_doubt<T>(bits, below(wave, sines.smallest) ? small_scaled_sines : scaled_sines)) {
    return numerics::rounded_bits<T>(bits);
  }
  if constexpr (std::is_same_v<T, half>) return subnormal(value, 0x1p-57);
  return std::nullopt;
}

}  // namespace

template <class T>
std::optional<T> settled_entry(const Rungs& rungs, const Columns& columns, const numerics::Dyadic& p, std::size_t j,
                               double wave) {
  const std::optional<T> quick = rungs.factor ? settled_product<T>(*rungs.factor, wave) : settled_wave<T>(wave);
  if (quick) return quick;
  const std::optional<numerics::Pair<T>> pair = certain_pair<T>(rungs, columns.frequency[j], p);
  if (!pair) return std::nullopt;
  return entry_of(*pair, columns.quarters(j), p.negative);
}

template std::optional<float> settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t, double);
template std::optional<half> settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t, double);
template std::optional<bfloat16> settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t,
                                               double);

}  // namespace posenc::engine
