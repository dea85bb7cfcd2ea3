// SPDX-License-Identifier: Apache-2.0
// Entries of ladders, made one by one.
#include "src/plan/ladder.h"

namespace posenc::plan {
namespace {

using numerics::Real;

Real entry(const Rule& rule, std::size_t k) {
  Real w = rule.first;
  for (const Step& step : rule.steps) w = w * numerics::power(step.base, step.exponent * numerics::Rational(k));
  return w;
}
Real entry(const Values& list, std::size_t k) { return Real(list.values[k]) * list.unit; }
Real entry(const std::vector<Real>& list, std::size_t k) { return list[k]; }

std::size_t count(const Rule& rule) { return rule.count; }
std::size_t count(const Values& list) { return list.values.size(); }
std::size_t count(const std::vector<Real>& list) { return list.size(); }

}  // namespace

Real ratio(const Rule& rule) {
  Real product = 1;
  for (const Step& step : rule.steps) product = product * numerics::power(step.base, step.exponent);
  return product;
}

std::size_t Ladder::size() const {
  return std::visit([](const auto& each) { return count(each); }, form);
}

Real Ladder::operator[](std::size_t k) const {
  return std::visit([&](const auto& each) { return entry(each, k); }, form);
}

bool operator==(const Ladder& a, const Ladder& b) {
  if (a.form == b.form) return true;
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!(a[k] == b[k])) return false;
  }
  return true;
}

}  // namespace posenc::plan
