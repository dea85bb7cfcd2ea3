// SPDX-License-Identifier: Apache-2.0
// Functions of real numbers that are not rational, powers or logarithms of rationals.
#include "src/numerics/evaluate.h"

namespace posenc::numerics {
namespace {

Enclosure enclose_quotient(std::span<const Real> x, std::int64_t bits) {
  return divide(enclose(x[0], bits), enclose(x[1], bits), bits + 64);
}
Enclosure enclose_square_root(std::span<const Real> x, std::int64_t bits) {
  return square_root(enclose(x[0], bits), bits + 64);
}
Enclosure enclose_logarithm(std::span<const Real> x, std::int64_t bits) { return log(enclose(x[0], bits), bits + 64); }
Enclosure enclose_exponential(std::span<const Real> x, std::int64_t bits) {
  return exp(enclose(x[0], bits), bits + 64);
}

Enclosure enclose_undecided(std::span<const Real>, std::int64_t) { return unknown(); }

Real formula(std::string_view name, Enclosure (*enclose)(std::span<const Real>, std::int64_t),
             std::vector<Real> arguments) {
  Real x;
  x.terms.push_back({.factor = 1, .formulas = {{name, enclose, std::move(arguments)}}});
  return x;
}

bool of_powers(const Real& x) {
  return x.terms.size() == 1 && x.terms[0].logarithms.empty() && x.terms[0].formulas.empty();
}

// The inverse of a term without formulas.
Real inverse(const Term& term) {
  Real result = Real(Rational(1) / term.factor) * pi_to_the(-term.pi_power);
  for (const Power& of : term.powers) result = result * power(of.base, -of.exponent);
  for (Logarithm of : term.logarithms) {
    of.power = -of.power;
    Real one;
    one.terms.push_back({.factor = 1, .logarithms = {of}});
    result = result * one;
  }
  return result;
}

}  // namespace

Real quotient(const Real& a, const Real& b) {
  if (b.terms.size() == 1 && b.terms[0].formulas.empty()) return a * inverse(b.terms[0]);
  if (a.zero()) return {};
  if (a == b) return 1;
  return formula("quotient", enclose_quotient, {a, b});
}

Real square_root(const Real& x) {
  if (x.zero()) return {};
  if (!of_powers(x) || x.terms[0].pi_power % 2 != 0) return formula("sqrt", enclose_square_root, {x});
  const Rational half = fraction(1, 2);
  Real result = power(x.terms[0].factor, half) * pi_to_the(x.terms[0].pi_power / 2);
  for (const Power& of : x.terms[0].powers) result = result * power(of.base, of.exponent * half);
  return result;
}

Real logarithm(const Real& x) {
  if (const std::optional<Rational> value = rational(x)) return logarithm(*value);
  return formula("ln", enclose_logarithm, {x});
}

Real exponential(const Real& x) {
  if (x.zero()) return 1;
  return formula("exp", enclose_exponential, {x});
}

Real undecided() { return formula("undecided", enclose_undecided, {}); }

}  // namespace posenc::numerics
