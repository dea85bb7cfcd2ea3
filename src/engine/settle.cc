// SPDX-License-Identifier: Apache-2.0
// Entries in doubt, one by one.
#include "src/engine/settle.h"

#include "src/engine/doubt.h"
#include "src/engine/elements.h"
#include "src/engine/series.h"
#include "src/numerics/certain.h"

namespace posenc::engine {
namespace {

template <std::size_t count>
double polynomial(double u, const double (&c)[count]) {
  double sum = c[count - 1];
  for (std::size_t i = count - 1; i-- > 0;) sum = sum * u + c[i];
  return sum;
}

// sin of turns / 2^64 turns.
double sine_of(std::uint64_t turns) {
  const std::uint64_t quarter = (turns + (std::uint64_t{1} << 61)) >> 62;
  const double x = static_cast<double>(static_cast<std::int64_t>(turns - (quarter << 62))) * radians_per_unit,
               u = x * x;
  const double value = quarter & 1 ? 1 + u * polynomial(u, cosine_series) : x + x * u * polynomial(u, sine_series);
  return quarter & 2 ? -value : value;
}

}  // namespace

template <class T>
T settled_entry(const Rungs& rungs, const Columns& columns, const numerics::Dyadic& p, std::size_t j) {
  const std::uint64_t turns = p.mantissa * columns.high[j] + numerics::multiply_high(p.mantissa, columns.low[j]);
  const double value = sine_of((p.negative ? 0 - turns : turns) + columns.quarter[j]);
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

template float settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t);
template half settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t);
template bfloat16 settled_entry(const Rungs&, const Columns&, const numerics::Dyadic&, std::size_t);

}  // namespace posenc::engine
