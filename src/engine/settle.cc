// SPDX-License-Identifier: Apache-2.0
// Entries in doubt, one by one.
#include "src/engine/settle.h"

#include "src/engine/doubt.h"
#include "src/engine/elements.h"
#include "src/numerics/certain.h"

namespace posenc::engine {

template <class T>
T settled_entry(const Rungs& rungs, const Columns& columns, const numerics::Dyadic& p, std::size_t j, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (!Doubt<T>::in(bits)) {
    return T(static_cast<float>(std::bit_cast<double>((bits + Doubt<T>::tie) & ~Doubt<T>::below)));
  }
  const std::size_t k = columns.rung[j];
  const numerics::Pair<T> pair =
      numerics::exact_sine_cosine<T>(rungs.frequencies[k], rungs.turns[k], {p.mantissa, p.exponent, false});
  if (columns.quarter[j] == cosine_phase) return pair.cosine;
  return p.negative ? negated(pair.sine) : pair.sine;
}

template float settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t, double);
template half settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t, double);
template bfloat16 settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t, double);

}  // namespace posenc::engine
