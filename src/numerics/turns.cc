// SPDX-License-Identifier: Apache-2.0
// Frequencies as turns, by integers alone.
#include "src/numerics/turns.h"

namespace posenc::numerics {
namespace {

Turn leading_turn(const WideTurn& w) {
  if (w.significand.zero()) return {};
  const std::int64_t drop = w.significand.bit_length() - 256;
  const Wide top = drop >= 0 ? w.significand >> drop : w.significand << -drop;
  return {{top.limb(0), top.limb(1), top.limb(2), top.limb(3)}, w.exponent + w.significand.bit_length()};
}

}  // namespace

Power power_of_base(double base, std::uint64_t numerator, std::uint64_t denominator, std::int64_t F) {
  Signed y = log(dyadic(base), F);
  y.size = y.size * numerator / denominator;
  y.negative = !y.negative;
  return exp(y, F);
}

// The exponent's error is below 2^51 units of 2^-F, which is also the power's relative error; 1 / 2 pi adds 2^33.
WideTurn wide_turn(const Frequency& w, std::int64_t bits) {
  const std::int64_t F = bits + 64;
  const Dyadic first = dyadic(w.first);
  const Power power = power_of_base(w.base, w.numerator, w.denominator, F);
  return {power.scale * first.mantissa * inverse_two_pi(F) >> F, power.exponent + first.exponent - F};
}

Turn turn(const Frequency& w) { return leading_turn(wide_turn(w, 256)); }

void geometric_turns(double first, double base, std::uint64_t step_numerator, std::uint64_t step_denominator,
                     std::span<Turn> turns) {
  // Each step multiplies the relative error by less than 1 + 2^-320 and cuts below 2^-383: 2^40 steps leave 2^-279.
  constexpr std::int64_t F = 384;
  const Power step = power_of_base(base, step_numerator, step_denominator, F);
  WideTurn w = wide_turn({.first = first}, F);
  for (Turn& t : turns) {
    t = leading_turn(w);
    w.significand = w.significand * step.scale >> F;
    w.exponent += step.exponent;
    if (const std::int64_t excess = w.significand.bit_length() - F; excess != 0) {
      w.significand = excess > 0 ? w.significand >> excess : w.significand << -excess;
      w.exponent += excess;
    }
  }
}

}  // namespace posenc::numerics
