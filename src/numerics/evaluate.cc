// SPDX-License-Identifier: Apache-2.0
// Enclosures of real numbers in closed form, and what they decide.
#include "src/numerics/evaluate.h"

#include <algorithm>

namespace posenc::numerics {
namespace {

// The product of powers, as e to the sum of exponent * ln base: both factors of a summand are good to W + 32 bits, and
// summands are below 2^30, so that the exponent is off by less than 2^-W.
Enclosure enclose_powers(const std::vector<Power>& powers, std::int64_t W) {
  const std::int64_t bits = W + 40;
  Enclosure sum = enclose(Rational(), bits);
  for (const Power& power : powers) {
    const Enclosure summand = multiply(enclose(power.exponent, bits), log(power.base, bits), bits);
    sum = add(sum, summand, bits);
  }
  return exp(sum, W);
}

// value base^power, by one product or quotient after another.
Enclosure times_power(Enclosure value, const Enclosure& base, std::int64_t power, std::int64_t bits) {
  for (std::int64_t i = std::abs(power); i > 0; --i) {
    value = power > 0 ? multiply(value, base, bits) : divide(value, base, bits);
  }
  return value;
}

Enclosure enclose_term(const Term& term, std::int64_t bits) {
  const std::int64_t W = bits + 64;
  Enclosure value = enclose(term.factor, W);
  if (!term.powers.empty()) value = multiply(value, enclose_powers(term.powers, W), W);
  if (term.pi_power != 0) value = times_power(std::move(value), enclose_pi(W), term.pi_power, W);
  for (const Logarithm& of : term.logarithms) value = times_power(std::move(value), log(of.argument, W), of.power, W);
  for (const Formula& of : term.formulas) value = multiply(value, of.enclose(of.arguments, bits), W);
  return value;
}

// The sign of a term alone, where its form says it: powers and pi are positive, as are logarithms of numbers above 1.
std::optional<int> sign_of_form(const Real& x) {
  if (x.zero()) return 0;
  if (x.terms.size() > 1 || !x.terms[0].formulas.empty()) return std::nullopt;
  return x.terms[0].factor.negative ? -1 : 1;
}

}  // namespace

Enclosure enclose(const Real& x, std::int64_t bits) {
  if (bits > most_enclosed_bits) return unknown();
  Enclosure sum = enclose(Rational(), bits);
  for (const Term& term : x.terms) sum = add(sum, enclose_term(term, bits), bits + 64);
  return sum;
}

std::optional<int> sign(const Real& x) {
  if (const std::optional<int> known = sign_of_form(x)) return known;
  for (std::int64_t bits = 128; bits <= most_bits; bits *= 2) {
    if (const int found = sign(enclose(x, bits)); found != 0) return found;
  }
  return std::nullopt;
}

std::optional<bool> less(const Real& a, const Real& b) {
  const std::optional<int> difference = sign(a - b);
  if (!difference) return std::nullopt;
  return *difference < 0;
}

std::optional<std::int64_t> floor(const Real& x) {
  if (const std::optional<Rational> value = rational(x)) return floor(*value);
  for (std::int64_t bits = 64; bits <= most_bits; bits *= 2) {
    const Enclosure e = enclose(x, bits);
    if (e.exponent + std::max(e.significand.bit_length(), e.error_bits) > 61) continue;
    const Rational centre(e.significand, Bignum(1), e.exponent, e.negative);
    const Rational error(Bignum(1), Bignum(1), e.exponent + e.error_bits, false);
    if (floor(centre - error) == floor(centre + error)) return floor(centre);
  }
  return std::nullopt;
}

}  // namespace posenc::numerics
