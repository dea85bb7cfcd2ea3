// SPDX-License-Identifier: Apache-2.0
// w_k = base^(-2k / r) / d_k: lists of divisors are short decimals that never fall. A base under which all are is not
// met by chance.
#include <algorithm>
#include <cmath>
#include <optional>

#include "src/base/made_once.h"
#include "src/conventions/usual.h"
#include "src/referee/logarithm.h"
#include "src/referee/scalings.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

// Bases of one and two digits, the usual ones first; so seldom by chance must the divisors of each be short.
struct Base {
  double value, seldom;
};
std::vector<Base> bases_to_try() {
  // Of the bases of a list and the tolerances together one in a hundred thousand.
  constexpr double of_few = -15, of_many = -19;
  std::vector<Base> all;
  for (const double usual : schema::usual_bases) all.push_back({usual, of_few});
  for (double unit = 100; unit <= 1e6; unit *= 10) {
    for (int digits = 10; digits < 100; ++digits) all.push_back({unit * digits, of_many});
  }
  return all;
}

// Of a ladder the exponents are rounded to f32, as originals have them, or not; each of its frequencies may be off by a
// part of its tolerance.
enum class Exponents : std::uint8_t { f32 = 1, exact };
struct Try {
  Exponents exponents;
  double part;
};

double exponent_of(const Scalings& scalings, std::size_t k, Exponents exponents) {
  const double exponent = scalings.exponent * static_cast<double>(k);
  return exponents == Exponents::f32 ? static_cast<double>(static_cast<float>(exponent)) : exponent;
}

// Result of fitting one divisor to each frequency of a ladder: the divisors round to decimals of 5 digits within the
// tolerance, and more often than chance gives.
enum class DividedList : std::uint8_t {
  by_decimals = 1,
  by_others,    // nor are they decimals within a smaller part of the tolerances
  by_any_list,  // as far as is told
};
DividedList divided_under(const Scalings& scalings, const Base& base, double logarithm, const Try& like,
                          std::vector<double>& divisors) {
  constexpr double per_unit = 1e5;
  divisors.clear();
  double by_chance = 0;  // the logarithm of its probability
  double off_before = 0;
  for (std::size_t k = 0; k < scalings.all.size(); ++k) {
    constexpr double most_off = 0.5;
    if (!(scalings.all[k].value > 0) || scalings.relative_off(k) > most_off) {  // so slow that any would do
      if (divisors.empty()) return DividedList::by_any_list;
      divisors.push_back(divisors.back());
      continue;
    }
    const double divisor = exp_of(logarithm * exponent_of(scalings, k, like.exponents)) / scalings.all[k].value;
    const double off = (like.part * scalings.relative_off(k) + 0x1p-24) * divisor,
                 near = std::rint(divisor * per_unit) / per_unit;
    if (off * per_unit < 0.5) {
      if (std::abs(near - divisor) > off) return DividedList::by_others;
      if (near != 1) by_chance += log_of(2 * off * per_unit);  // 1 says the base, not a list
    }
    if (!divisors.empty() && divisor + off < divisors.back() - off_before) return DividedList::by_any_list;
    off_before = off;
    const bool vague = off > 1e-3 * divisor;
    const auto simple = vague ? simple_number({divisor - off, divisor + off}) : std::nullopt;
    const double found = simple ? simple->value : near;
    divisors.push_back(divisors.empty() ? found : std::max(found, divisors.back()));
  }
  return by_chance < base.seldom ? DividedList::by_decimals : DividedList::by_any_list;
}

// Is there a list under a base? Its divisors are those of the first arithmetic that has one.
bool has_list(const Scalings& scalings, const Base& base, std::vector<double>& divisors) {
  const double logarithm = log_of(base.value);
  for (const double part : {1.0, 0.3, 0.1}) {
    const DividedList divided = divided_under(scalings, base, logarithm, {Exponents::f32, part}, divisors);
    if (divided == DividedList::by_decimals) return true;
    if (divided == DividedList::by_others) break;
  }
  return divided_under(scalings, base, logarithm, {Exponents::exact, 0.1}, divisors) == DividedList::by_decimals;
}

// Fits divisors under each usual base, and returns the first fit.
std::optional<DividedLadder> first_list(const Scalings& scalings) {
  std::vector<double> divisors;
  for (const Base& base : made_once<bases_to_try>()) {
    if (has_list(scalings, base, divisors)) return DividedLadder{base.value, std::move(divisors)};
  }
  return std::nullopt;
}

}  // namespace

// The call's length decides between two lists; of the other one nothing is known.
void add_longrope(Scalings& scalings) {
  auto found = scalings.shared.divided.find(scalings.exponent);
  if (found == scalings.shared.divided.end()) {
    found = scalings.shared.divided.emplace(scalings.exponent, first_list(scalings)).first;
  }
  const std::optional<DividedLadder>& list = found->second;
  if (!list) return;
  // Rows of presets list divisors for another width: none of them is among those at hand.
  scalings.found.push_back({{{"ladder.base", list->base},
                             {"ladder.scaling.short_factors", list->divisors},
                             {"ladder.scaling.long_factors", list->divisors}},
                            {},
                            true,
                            {},
                            "rope-longrope"});
}

}  // namespace posenc::referee
