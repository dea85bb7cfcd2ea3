// SPDX-License-Identifier: Apache-2.0
// Real numbers in closed form: frequencies, phases and scales of every convention. They are compared, added and
// multiplied without rounding; evaluate.h encloses and rounds them.
//
//   w0 10000^(-2k/d)            Real(w0) * power(10000, fraction(-2 * k, d))      rising: + in place of -
//   half turns                  Real(x) * pi_to_the(1)                            quarter turns: * fraction(1, 2) more
//   NTK                         ... * power(s, fraction(-2 * k, r - 2))
//   a blend                     w * fraction(1, s) * ramp + w * (Real(1) - ramp)
//   YaRN's 1 + ln(s) / 10       Real(1) + fraction(1, 10) * logarithm(s)          in code: Real(fraction(1, 10)) * ...
//   LongRoPE's magnitude        square_root(Real(1) + quotient(logarithm(s), logarithm(length)))
#pragma once

#include <span>
#include <string_view>

#include "src/numerics/enclosure.h"

namespace posenc::numerics {

struct Real;

/// base^exponent. In a Real: base a whole number > 1 that is no perfect power, exponent in (-1, 0).
struct Power {
  Rational base, exponent;
  auto operator<=>(const Power&) const = default;
};

/// (ln argument)^power. In a Real: argument > 1 and no perfect power, power not 0.
struct Logarithm {
  Rational argument;
  std::int64_t power = 1;
  auto operator<=>(const Logarithm&) const = default;
};

/// A number given by a function that encloses it: with `bits` ever larger, ever more tightly, or it stays undecided.
struct Formula {
  std::string_view name;  // unique among functions; a literal
  Enclosure (*enclose)(std::span<const Real> arguments, std::int64_t bits);
  std::vector<Real> arguments;  // no initializer: Real is incomplete here
  bool operator==(const Formula&) const;
};

/// factor * the product of powers, logarithms and formulas * pi^pi_power.
struct Term {
  Rational factor = {};
  std::vector<Power> powers = {};  // by base; the bases of a term have no common factor
  std::int64_t pi_power = 0;
  std::vector<Logarithm> logarithms = {};  // by argument
  std::vector<Formula> formulas = {};      // by name and arguments
  bool operator==(const Term&) const = default;
};

/// A sum of terms in one form: no term is 0, no two are rational multiples of each other in that form, and they are
/// ordered. So equal sums of rationals, of powers of one number, of pi and of equal logarithms and formulas are equal
/// here, what cancels is gone, and a number that is rational is one rational term or none. What may stay apart though
/// equal: terms whose radicals have bases with a common factor (6^(1/2) and 2^(1/2) 3^(1/2)), sums of logarithms, and
/// whatever formulas hide.
struct Real {
  std::vector<Term> terms = {};

  Real() = default;
  Real(Rational value);
  Real(double value) : Real(Rational(value)) {}
  template <std::integral Integer>
  Real(Integer value) : Real(Rational(value)) {}

  bool zero() const { return terms.empty(); }
  bool operator==(const Real&) const = default;
};

/// base^exponent, base > 0. A power that is rational is found and is one.
Real power(const Rational& base, const Rational& exponent);
/// pi^n.
Real pi_to_the(std::int64_t n);
/// ln x, x > 0.
Real logarithm(const Rational& x);

Real operator-(Real a);
Real operator+(const Real& a, const Real& b);
Real operator-(const Real& a, const Real& b);
Real operator*(const Real& a, const Real& b);

// Formulas; what has a closed form (a quotient by one term without formulas, a root of a rational) gets that.
Real quotient(const Real& a, const Real& b);  // b not 0
Real square_root(const Real& x);              // x >= 0
Real logarithm(const Real& x);                // x > 0
Real exponential(const Real& x);

/// A number of which nothing is known, as the result of a rounding that was not settled: what is made of it is
/// undecided.
Real undecided();

/// The value where the form is that of a rational number.
std::optional<Rational> rational(const Real& x);

/// The least n > 0 whose x^n is rational, and with it the powers that are: multiples of n. Nothing where x is no single
/// term of powers, or n is 2^31 or more.
std::optional<std::uint64_t> least_rational_power(const Real& x);

}  // namespace posenc::numerics
