// SPDX-License-Identifier: Apache-2.0
// Entries in doubt, one by one.
#include "src/engine/tables/ziv_fallback.h"

#include <cmath>
#include <optional>

#include "src/base/elements.h"
#include "src/engine/tables/rounding_test.h"
#include "src/numerics/sine_cosine.h"

namespace posenc::engine {
namespace {

// RN to a multiple of 2^-24, which f16 has below 2^-14, of a value that is off by less than 2^-60 there
// (rounding_test.h), if that tells how it rounds and which sign it has.
std::optional<half> subnormal(double value) {
  const double size = std::abs(value);
  if (size < 0x1p-59 || size >= 0x1p-14) return {};
  const double steps = size * 0x1p24, whole = std::floor(steps), beyond_tie = steps - whole - 0.5;
  if (std::abs(beyond_tie) < 0x1p-35) return {};
  return half(static_cast<float>(std::copysign((whole + (beyond_tie > 0)) * 0x1p-24, value)));
}

}  // namespace

template <class T>
std::optional<T> settled_entry(const Rungs& rungs, const Columns& columns, const numerics::Dyadic& p, std::size_t j,
                               double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (!Doubt<T>::in(bits)) {
    return T(static_cast<float>(std::bit_cast<double>((bits + Doubt<T>::tie) & ~Doubt<T>::below)));
  }
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
