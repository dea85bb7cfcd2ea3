// SPDX-License-Identifier: Apache-2.0
// Terms and sums brought into their one form, and their algebra.
#include "src/numerics/real.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace posenc::numerics {
namespace {

// Powers of whole numbers with more bits than this stay powers.
constexpr std::int64_t most_bits_of_a_power = std::int64_t{1} << 12;

// Bits left of the binary point of x, or a few more.
std::int64_t magnitude(const Rational& x) {
  return x.numerator.bit_length() - x.denominator.bit_length() + 1 + x.exponent;
}

Rational whole(const Bignum& n) { return Rational(n, Bignum(1), 0, false); }
// base^exponent joins the powers of whole numbers; base > 0.
void put(std::vector<Power>& powers, const Rational& base, const Rational& exponent) {
  if (base == Rational(1) || exponent.zero()) return;
  for (Power& power : powers) {
    if (power.base == base) {
      power.exponent = power.exponent + exponent;
      return;
    }
  }
  powers.push_back({base, exponent});
}

// The same product with bases that are whole, without common factors and no perfect powers. A product of such powers
// with exponents in (-1, 0) is irrational: some prime of a base divides it a number of times that is not whole.
std::vector<Power> coprime(const std::vector<Power>& powers) {
  std::vector<Power> odd, made;
  Rational twos;
  for (const Power& power : powers) {
    put(odd, whole(power.base.numerator), power.exponent);
    put(odd, whole(power.base.denominator), -power.exponent);
    twos = twos + Rational(power.base.exponent) * power.exponent;
  }
  while (!odd.empty()) {
    Power last = std::move(odd.back());
    odd.pop_back();
    const auto shares = [&](const Power& other) { return gcd(other.base.numerator, last.base.numerator) != Bignum(1); };
    if (const auto found = std::find_if(odd.begin(), odd.end(), shares); found != odd.end()) {
      const Power other = *found;
      odd.erase(found);
      const Rational common = whole(gcd(other.base.numerator, last.base.numerator));
      put(odd, other.base / common, other.exponent);
      put(odd, last.base / common, last.exponent);
      put(odd, common, other.exponent + last.exponent);
      continue;
    }
    const PerfectPower base = perfect_power(last.base);
    put(made, base.root, last.exponent * Rational(base.multiplicity));
  }
  put(made, 2, twos);
  std::sort(made.begin(), made.end(), [](const Power& a, const Power& b) { return a.base < b.base; });
  return made;
}

void make_powers_canonical(Term& term) {
  std::vector<Power> kept;
  for (Power& power : coprime(term.powers)) {
    if (magnitude(power.exponent) < 40) {
      const std::int64_t n = -floor(-power.exponent);  // the least whole number that is not below
      const bool two = power.base == Rational(2);
      if (two || magnitude(power.base) * std::abs(n) <= most_bits_of_a_power) {
        term.factor = term.factor * numerics::power(power.base, n);
        power.exponent = power.exponent - Rational(n);
      }
    }
    if (!power.exponent.zero()) kept.push_back(std::move(power));
  }
  term.powers = std::move(kept);
}

void make_logarithms_canonical(Term& term) {
  std::vector<Logarithm> made;
  for (const Logarithm& logarithm : term.logarithms) {
    const bool below = logarithm.argument < Rational(1);
    const PerfectPower argument = perfect_power(below ? Rational(1) / logarithm.argument : logarithm.argument);
    term.factor = term.factor *
                  numerics::power(Rational(below ? -argument.multiplicity : argument.multiplicity), logarithm.power);
    const auto same = [&](const Logarithm& other) { return other.argument == argument.root; };
    if (const auto found = std::find_if(made.begin(), made.end(), same); found != made.end()) {
      found->power += logarithm.power;
    } else {
      made.push_back({argument.root, logarithm.power});
    }
  }
  std::erase_if(made, [](const Logarithm& logarithm) { return logarithm.power == 0; });
  std::sort(made.begin(), made.end(), [](const Logarithm& a, const Logarithm& b) { return a.argument < b.argument; });
  term.logarithms = std::move(made);
}

template <class T, class Order>
std::strong_ordering in_order(const std::vector<T>& a, const std::vector<T>& b, const Order& order) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(), order);
}

std::strong_ordering order(const Term& a, const Term& b);

// Any order of formulas, the same one always.
std::strong_ordering order_of_formulas(const Formula& a, const Formula& b) {
  if (const auto names = a.name <=> b.name; names != 0) return names;
  return in_order(a.arguments, b.arguments, [](const Real& x, const Real& y) {
    return in_order(x.terms, y.terms, [](const Term& s, const Term& t) {
      const auto kinds = order(s, t);
      return kinds != 0 ? kinds : s.factor <=> t.factor;
    });
  });
}

// Any order of terms that are no rational multiples of each other.
std::strong_ordering order(const Term& a, const Term& b) {
  const auto closed = [](const Term& x) { return std::tie(x.pi_power, x.powers, x.logarithms); };
  if (const auto forms = closed(a) <=> closed(b); forms != 0) return forms;
  return in_order(a.formulas, b.formulas, order_of_formulas);
}

// Ordered terms, those of a kind joined, zeros gone.
Real sum(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return order(a, b) < 0; });
  Real result;
  for (Term& term : terms) {
    if (!result.terms.empty() && order(result.terms.back(), term) == 0) {
      result.terms.back().factor = result.terms.back().factor + term.factor;
    } else {
      result.terms.push_back(std::move(term));
    }
    if (result.terms.back().factor.zero()) result.terms.pop_back();
  }
  return result;
}

Real of_one(Term term) {
  Real result;
  if (!term.factor.zero()) result.terms.push_back(std::move(term));
  return result;
}

// A rational number, not 0, that a product takes into the factors of the terms, whose order does not ask for them.
bool is_rational(const Real& x) {
  if (x.terms.size() != 1) return false;
  const Term& term = x.terms[0];
  return term.pi_power == 0 && term.powers.empty() && term.logarithms.empty() && term.formulas.empty();
}
Real times_rational(Real x, const Rational& by) {
  for (Term& term : x.terms) term.factor = term.factor * by;
  return x;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

Term product(const Term& a, const Term& b) {
  Term term = a;
  term.factor = a.factor * b.factor;
  term.pi_power += b.pi_power;
  append(term.powers, b.powers);
  append(term.logarithms, b.logarithms);
  append(term.formulas, b.formulas);
  if (!a.powers.empty() && !b.powers.empty()) make_powers_canonical(term);
  if (!a.logarithms.empty() && !b.logarithms.empty()) make_logarithms_canonical(term);
  std::sort(term.formulas.begin(), term.formulas.end(),
            [](const Formula& x, const Formula& y) { return order_of_formulas(x, y) < 0; });
  return term;
}

}  // namespace

bool Formula::operator==(const Formula& other) const { return name == other.name && arguments == other.arguments; }

Real::Real(Rational value) {
  if (!value.zero()) terms.push_back({.factor = std::move(value)});
}

Real power(const Rational& base, const Rational& exponent) {
  Term term = {.factor = 1, .powers = {{base, exponent}}};
  make_powers_canonical(term);
  return of_one(std::move(term));
}

Real pi_to_the(std::int64_t n) { return of_one({.factor = 1, .pi_power = n}); }

Real logarithm(const Rational& x) {
  if (x == Rational(1)) return {};
  Term term = {.factor = 1, .logarithms = {{x, 1}}};
  make_logarithms_canonical(term);
  return of_one(std::move(term));
}

Real operator-(Real a) {
  for (Term& term : a.terms) term.factor = -term.factor;
  return a;
}

Real operator+(const Real& a, const Real& b) {
  if (a.zero()) return b;
  if (b.zero()) return a;
  std::vector<Term> terms = a.terms;
  append(terms, b.terms);
  return sum(std::move(terms));
}

Real operator-(const Real& a, const Real& b) { return a + -b; }

Real operator*(const Real& a, const Real& b) {
  if (is_rational(b)) return times_rational(a, b.terms[0].factor);
  if (is_rational(a)) return times_rational(b, a.terms[0].factor);
  if (a.terms.size() == 1 && b.terms.size() == 1) return of_one(product(a.terms[0], b.terms[0]));
  std::vector<Term> terms;
  for (const Term& x : a.terms) {
    for (const Term& y : b.terms) terms.push_back(product(x, y));
  }
  return sum(std::move(terms));
}

std::optional<Rational> rational(const Real& x) {
  if (x.zero()) return Rational();
  return is_rational(x) ? std::optional(x.terms[0].factor) : std::nullopt;
}

// A product of powers is rational exactly where each power is, if no two bases have a common factor and none is a
// perfect power.
std::optional<std::uint64_t> least_rational_power(const Real& x) {
  if (x.terms.size() != 1) return std::nullopt;
  const Term& term = x.terms[0];
  if (term.pi_power != 0 || !term.logarithms.empty() || !term.formulas.empty()) return std::nullopt;
  std::uint64_t least = 1;
  for (const Power& power : term.powers) {
    const std::int64_t twos = std::max<std::int64_t>(-power.exponent.exponent, 0);
    if (power.exponent.denominator.bit_length() + twos > 31) return std::nullopt;
    least = std::lcm(least, power.exponent.denominator.limb(0) << twos);
    if (least >> 31 != 0) return std::nullopt;
  }
  return least;
}

}  // namespace posenc::numerics
