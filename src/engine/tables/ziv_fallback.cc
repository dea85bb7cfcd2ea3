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
std::optional<half> subnormal(double value) {
  constexpr double error = 1.0 / static_cast<double>(std::uint64_t{1} << -small_sines.error);
  const double size = std::abs(value);
  if (size < 2 * error || size >= 0x1p-14) return {};
  const double steps = size * 0x1p24, whole = std::floor(steps), beyond_tie = steps - whole - 0.5;
  if (std::abs(beyond_tie) < 2 * error * 0x1p24) return {};
  return half(static_cast<float>(std::copysign((whole + (beyond_tie > 0)) * 0x1p-24, value)));
}

}  // namespace

template <class T>
std::optional<T> settled_entry(const Rungs& rungs, const Columns& columns, const numerics::Dyadic& p, std::size_t j,
                               double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const bool is_small =
      std::abs(value) < std::bit_cast<double>(static_cast<std::uint64_t>(sines.smallest + 1023) << 52);
  if (!numerics::in_doubt<T>(bits, is_small ? small_sines : relative_sines)) return numerics::rounded_bits<T>(bits);
  if constexpr (std::is_same_v<T, half>) {
    if (const std::optional<half> small = subnormal(value)) return *small;
  }
  const std::optional<numerics::Pair<T>> pair = certain_pair<T>(rungs, columns.frequency[j], p);
  if (!pair) return std::nullopt;
  return entry_of(*pair, columns.quarters(j), p.negative);
}

template std::optional<float> settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t, double);
template std::optional<half> settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t, double);
template std::optional<bfloat16> settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t,
                                               double);

}  // namespace posenc::engine
