// SPDX-License-Identifier: Apache-2.0
// Terms in the order in which they are kept; a factor of 1 is not written.
#include "src/referee/explain/real_text.h"

#include <algorithm>

#include "src/base/to_text.h"
#include "src/referee/explain/decimal.h"

namespace posenc::referee {
namespace {

using numerics::Bignum;
using numerics::Rational;
using numerics::Real;

constexpr std::int64_t most_written_twos = 20;  // further powers of two are written as such

std::string raised(std::string base, const Rational& exponent) {
  if (exponent == Rational(1)) return base;
  const std::string text = closed_form(exponent);
  return base + "^" + (text.find_first_of("/ ") == text.npos ? text : "(" + text + ")");
}

// 10^(1/3), where 2^(1/3) and 5^(1/3) are kept.
std::vector<numerics::Power> of_one_exponent(const std::vector<numerics::Power>& powers) {
  std::vector<numerics::Power> joined;
  for (const numerics::Power& power : powers) {
    const auto same = std::ranges::find(joined, power.exponent, &numerics::Power::exponent);
    if (same == joined.end()) {
      joined.push_back(power);
    } else {
      same->base = same->base * power.base;
    }
  }
  return joined;
}

std::string size_of_term(const numerics::Term& term) {
  std::vector<std::string> parts;
  Rational factor = term.factor;
  factor.negative = false;
  for (const numerics::Power& power : of_one_exponent(term.powers)) {
    parts.push_back(raised(closed_form(power.base), power.exponent));
  }
  if (term.pi_power != 0) parts.push_back(raised("pi", Rational(term.pi_power)));
  for (const numerics::Logarithm& log : term.logarithms) {
    parts.push_back(raised("ln(" + closed_form(log.argument) + ")", Rational(log.power)));
  }
  for (const numerics::Formula& formula : term.formulas) {
    parts.push_back(std::string(formula.name) + "(" +
                    listed(formula.arguments, [](const Real& x) { return closed_form(x); }) + ")");
  }
  if (!(factor == Rational(1)) || parts.empty()) parts.insert(parts.begin(), closed_form(factor));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

}  // namespace

std::string closed_form(const Rational& x) {
  const std::string sign = x.negative ? "-" : "";
  if (x.zero()) return "0";
  const bool plain = x.exponent >= -most_written_twos && x.exponent <= 2 * most_written_twos;
  const Bignum above = plain && x.exponent > 0 ? x.numerator << x.exponent : x.numerator;
  const Bignum below = plain && x.exponent < 0 ? x.denominator << -x.exponent : x.denominator;
  std::string text = sign + whole_text(above);
  if (!(below == Bignum(1))) text += "/" + whole_text(below);
  return plain ? text : text + " 2^" + std::to_string(x.exponent);
}

std::string closed_form(const Real& x) {
  if (x.zero()) return "0";
  std::string text;
  for (const numerics::Term& term : x.terms) {
    const bool negative = term.factor.negative;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    text += size_of_term(term);
  }
  return text;
}

std::string closed_factor(const numerics::Real& x) {
  const std::string text = closed_form(x);
  const bool is_sum = text.find(" + ") != text.npos || text.find(" - ") != text.npos;
  return is_sum ? "(" + text + ")" : text;
}

}  // namespace posenc::referee
