// SPDX-License-Identifier: Apache-2.0
// Entries of ladders, made one by one.
#include "src/plan/ladder.h"

#include <algorithm>

#include "src/numerics/sine_cosine.h"

namespace posenc::plan {
namespace {

using numerics::Rational;
using numerics::Real;

Real entry(const Rule& rule, std::size_t k) {
  Real w = rule.first;
  for (const Step& step : rule.steps) w = w * numerics::power(step.base, step.exponent * Rational(k));
  if (!rule.natural.zero()) w = w * numerics::exponential(Real(rule.natural * Rational(k)));
  return w;
}
Real entry(const Values& list, std::size_t k) { return Real(list.values[k]) * list.unit; }
Real entry(const Scaled& scaled, std::size_t k) {
  const auto stretch = std::ranges::upper_bound(scaled.stretches, k, {}, &Stretch::end);
  if (const auto* factor = std::get_if<Real>(&stretch->factor)) {
    return factor->zero() ? Real() : entry(scaled.rule, k) * *factor;
  }
  const Real w = entry(scaled.rule, k);
  if (const auto* taper = std::get_if<Taper>(&stretch->factor)) {
    const std::size_t first = stretch == scaled.stretches.begin() ? 0 : std::prev(stretch)->end;
    const Real angle =
        Real(numerics::fraction(static_cast<std::int64_t>(k - first), taper->gaps)) * numerics::pi_to_the(1);
    return w * taper->first * (Real(1) + numerics::cosine(angle)) * Real(numerics::fraction(1, 2));
  }
  const Ramp& ramp = std::get<Ramp>(stretch->factor);
  const Real x = ramp.over == Ramp::Over::index ? Real(k) : w;
  const Real part = numerics::quotient(x * ramp.unit - ramp.low, ramp.high - ramp.low);
  return w * ramp.at_high * part + w * ramp.at_low * (Real(1) - part);
}
Real entry(const std::vector<Real>& list, std::size_t k) { return list[k]; }

std::size_t count(const Rule& rule) { return rule.count; }
std::size_t count(const Scaled& scaled) { return scaled.rule.count; }
std::size_t count(const Values& list) { return list.values.size(); }
std::size_t count(const std::vector<Real>& list) { return list.size(); }

}  // namespace

Real ratio(const Rule& rule) {
  Real product = 1;
  for (const Step& step : rule.steps) product = product * numerics::power(step.base, step.exponent);
  if (!rule.natural.zero()) product = product * numerics::exponential(Real(rule.natural));
  return product;
}

std::size_t Ladder::size() const {
  if (!picked.empty()) return picked.size();
  return std::visit([](const auto& each) { return count(each); }, form);
}

Real Ladder::operator[](std::size_t k) const {
  return std::visit([&](const auto& each) { return entry(each, picked.empty() ? k : picked[k]); }, form);
}

Ladder only(const std::vector<std::uint32_t>& entries, Ladder ladder) {
  if (entries.empty()) return {};
  ladder.picked = entries;
  return ladder;
}

// The entries are a ramp over the index times one constant.
std::optional<Even> even(const Ladder& ladder) {
  const auto* scaled = std::get_if<Scaled>(&ladder.form);
  if (scaled == nullptr || !ladder.picked.empty() || scaled->stretches.size() != 1) return std::nullopt;
  const auto* ramp = std::get_if<Ramp>(&scaled->stretches[0].factor);
  const bool equal = scaled->rule.steps.empty() && scaled->rule.natural.zero();
  if (ramp == nullptr || !equal || ramp->over != Ramp::Over::index) return std::nullopt;
  const auto unit = numerics::rational(ramp->unit), low = numerics::rational(ramp->low);
  const auto high = numerics::rational(ramp->high), at_low = numerics::rational(ramp->at_low);
  const auto at_high = numerics::rational(ramp->at_high);
  if (!unit || !low || !high || !at_low || !at_high) return std::nullopt;
  const Rational slope = (*at_high - *at_low) / (*high - *low);
  return Even{*at_low - slope * *low, slope * *unit, scaled->rule.first};
}

// Factors of a scaling are rational, or their sums with what they multiply are not one term.
bool in_turns(const Ladder& ladder) {
  const auto has_pi = [](const Real& w) { return w.terms.size() == 1 && w.terms[0].pi_power == 1; };
  if (const auto* rule = std::get_if<Rule>(&ladder.form)) return has_pi(rule->first);
  if (const auto* scaled = std::get_if<Scaled>(&ladder.form)) return has_pi(scaled->rule.first);
  if (const auto* list = std::get_if<Values>(&ladder.form)) return has_pi(list->unit);
  const auto& list = std::get<std::vector<Real>>(ladder.form);
  return std::any_of(list.begin(), list.end(), has_pi);
}

bool operator==(const Ladder& a, const Ladder& b) {
  if (same_form(a, b)) return true;
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!(a[k] == b[k])) return false;
  }
  return true;
}

}  // namespace posenc::plan
