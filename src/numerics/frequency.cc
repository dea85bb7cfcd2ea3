// SPDX-License-Identifier: Apache-2.0
// Frequencies as turns, by integers alone.
#include "src/numerics/frequency.h"

namespace posenc::numerics {
namespace {

Turn leading_turn(const WideTurn& w) {
  if (w.significand.zero()) return {};
  const std::int64_t drop = w.significand.bit_length() - 256;
  const Bignum top = drop >= 0 ? w.significand >> drop : w.significand << -drop;
  return {{top.limb(0), top.limb(1), top.limb(2), top.limb(3)}, w.exponent + w.significand.bit_length()};
}

// Each step multiplies the relative error by less than 1 + 2^-320 and cuts below 2^-383: 2^40 steps leave 2^-279.
constexpr std::int64_t ladder_bits = 384;

void multiply_along(WideTurn w, const Exponential& step, std::span<Turn> turns) {
  for (Turn& t : turns) {
    t = leading_turn(w);
    w.significand = w.significand * step.scale >> ladder_bits;
    w.exponent += step.exponent;
    if (const std::int64_t excess = w.significand.bit_length() - ladder_bits; excess != 0) {
      w.significand = excess > 0 ? w.significand >> excess : w.significand << -excess;
      w.exponent += excess;
    }
  }
}

// |w| / 2 pi with `correct` bits that are certain; nothing where most_bits do not give them.
std::optional<Enclosure> enclose_turn(const Real& w, std::int64_t correct) {
  const Real turns = w * Real(fraction(1, 2)) * pi_to_the(-1);
  for (std::int64_t bits = correct; bits <= most_bits; bits *= 2) {
    const Enclosure x = enclose(turns, bits);
    if (correct_bits(x) >= correct) return x;
  }
  return std::nullopt;
}

}  // namespace

Real real(const Frequency& w) {
  const Rational exponent(Bignum(w.numerator), Bignum(w.denominator), 0, true);
  return Real(w.first) * power(w.base, exponent);
}

Exponential power_of_base(double base, std::uint64_t numerator, std::uint64_t denominator, std::int64_t F) {
  Signed y = log(dyadic(base), F);
  y.size = y.size * numerator / denominator;
  y.negative = !y.negative;
  return exp(y, F);
}

// The exponent's error is below 2^51 units of 2^-F, which is also the power's relative error; 1 / 2 pi adds 2^33.
WideTurn wide_turn(const Frequency& w, std::int64_t bits) {
  const std::int64_t F = bits + 64;
  const Dyadic first = dyadic(w.first);
  const Exponential power = power_of_base(w.base, w.numerator, w.denominator, F);
  return {power.scale * first.mantissa * inverse_two_pi(F) >> F, power.exponent + first.exponent - F};
}

Turn turn(const Frequency& w) { return leading_turn(wide_turn(w, 256)); }

std::optional<Turn> turn(const Real& w) {
  if (w.zero()) return Turn{};
  const std::optional<Enclosure> turns = enclose_turn(w, 256);
  if (!turns) return std::nullopt;
  return leading_turn({turns->significand, turns->exponent});
}

void geometric_turns(double first, double base, std::uint64_t step_numerator, std::uint64_t step_denominator,
                     std::span<Turn> turns) {
  multiply_along(wide_turn({.first = first}, ladder_bits),
                 power_of_base(base, step_numerator, step_denominator, ladder_bits), turns);
}

bool geometric_turns(const Real& first, const Rational& base, const Rational& step, std::span<Turn> turns) {
  const std::optional<Enclosure> start = first.zero() ? Enclosure{} : enclose_turn(first, ladder_bits);
  const Enclosure by = enclose(power(base, step), ladder_bits);
  if (!start || correct_bits(by) < ladder_bits - 64) return false;
  // The step as scale * 2^exponent, scale in [1, 2).
  const std::int64_t excess = by.significand.bit_length() - 1 - ladder_bits;
  const Bignum scale = excess >= 0 ? by.significand >> excess : by.significand << -excess;
  multiply_along({start->significand, start->exponent}, {scale, by.exponent + excess + ladder_bits}, turns);
  return true;
}

}  // namespace posenc::numerics
