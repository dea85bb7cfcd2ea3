// SPDX-License-Identifier: Apache-2.0
// Real numbers in print.
#include <algorithm>

#include "src/numerics/real.h"

namespace posenc::numerics {
namespace {

std::string decimal(Bignum n) {
  constexpr std::uint64_t digits = 10'000'000'000'000'000'000u;  // 19 at a time
  std::string text;
  do {
    const Bignum above = n / digits;
    std::string part = std::to_string((n - above * digits).limb(0));
    if (!above.zero()) part.insert(0, 19 - part.size(), '0');
    text.insert(0, part);
    n = above;
  } while (!n.zero());
  return text;
}

void append(std::string& text, const std::string& factor) {
  if (!text.empty() && text != "-") text += ' ';
  text += factor;
}

std::string raised(const std::string& base, const Rational& exponent) {
  if (exponent == Rational(1)) return base;
  const std::string power = to_string(exponent);
  return base + "^" + (exponent.whole() && !exponent.negative ? power : "(" + power + ")");
}

// Powers of one exponent stand together: 5^(-1/8) 2^(-1/8) is 10^(-1/8).
void append_powers(std::string& text, const std::vector<Power>& powers) {
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const auto same = [&](const Power& other) { return other.exponent == powers[i].exponent; };
    if (std::any_of(powers.begin(), powers.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    Rational base = powers[i].base;
    for (std::size_t j = i + 1; j < powers.size(); ++j) base = same(powers[j]) ? base * powers[j].base : base;
    append(text, raised(to_string(base), powers[i].exponent));
  }
}

std::string to_string(const Formula& formula) {
  std::string text;
  for (const Real& argument : formula.arguments) text += (text.empty() ? "" : ", ") + to_string(argument);
  return std::string(formula.name) + "(" + text + ")";
}

// |term|
std::string size_of(const Term& term) {
  Rational factor = term.factor;
  factor.negative = false;
  std::string text;
  if (factor != Rational(1)) text = to_string(factor);
  append_powers(text, term.powers);
  if (term.pi_power != 0) append(text, raised("pi", Rational(term.pi_power)));
  for (const Logarithm& of : term.logarithms) append(text, raised("ln(" + to_string(of.argument) + ")", of.power));
  for (const Formula& of : term.formulas) append(text, to_string(of));
  return text.empty() ? "1" : text;
}

}  // namespace

std::string to_string(const Rational& x) {
  constexpr std::int64_t written_out = 64;
  std::string text = x.negative ? "-" : "";
  const bool out = x.exponent >= -written_out && x.exponent <= written_out;
  text += decimal(out && x.exponent > 0 ? x.numerator << x.exponent : x.numerator);
  const Bignum below = out && x.exponent < 0 ? x.denominator << -x.exponent : x.denominator;
  if (below != Bignum(1)) text += "/" + decimal(below);
  if (!out) text += " 2^" + (x.exponent < 0 ? "(" + std::to_string(x.exponent) + ")" : std::to_string(x.exponent));
  return text;
}

std::string to_string(const Real& x) {
  if (x.zero()) return "0";
  std::string text;
  for (const Term& term : x.terms) {
    const bool negative = term.factor.negative;
    text += text.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
    text += size_of(term);
  }
  return text;
}

}  // namespace posenc::numerics
