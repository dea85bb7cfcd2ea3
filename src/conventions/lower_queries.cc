// SPDX-License-Identifier: Apache-2.0
// What the fields of LogCoordinates, QueryScale and Learned mean.
#include "src/conventions/lower.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;

using Sides2 = std::array<std::int64_t, 2>;

plan::CoordinatePlan coordinates(const PlainLogarithm&, const Sides2&) { return {{Rational(1), Rational(1)}, Real(1)}; }

// The logarithms are of one base: which one, their quotient does not say.
plan::CoordinatePlan coordinates(const NormalisedLogarithm& by, const Sides2& window) {
  const auto* stated = std::get_if<std::vector<std::int64_t>>(&by.pretrained);
  const Sides2 sides = stated == nullptr ? window : Sides2{stated->at(0), stated->at(1)};
  const auto step = [&](std::int64_t side) {  // of a side of 1 there is coordinate 0 alone
    return side == 1 ? Rational(0) : Rational(by.gain) * fraction(1, side - 1);
  };
  return {{step(sides[0]), step(sides[1])}, numerics::logarithm(Rational(by.gain))};
}

plan::FactorPlan factor(const LogSteps& by) {
  return {plan::FactorPlan::Form::steps, Rational(by.origin), Rational(by.every), Real(by.gain), Real(1)};
}
plan::FactorPlan factor(const LogClamp& by) {
  return {plan::FactorPlan::Form::clamp, Rational(by.origin), Rational(by.every), Real(by.gain), Real(1)};
}
plan::FactorPlan factor(const LogRatio& by) {
  const Real over = numerics::logarithm(Rational(by.every));
  return {plan::FactorPlan::Form::ratio, Rational(by.origin), Rational(by.every), numerics::quotient(Real(1), over),
          over};
}

plan::Beyond beyond(PastEnd past_end) {
  switch (past_end) {
    case PastEnd::clamp: return plan::Beyond::last;
    case PastEnd::zeros: return plan::Beyond::no_row;
    case PastEnd::wrap: return plan::Beyond::from_zero;
    default: return plan::Beyond::refused;
  }
}

}  // namespace

plan::CoordinatePlan lower_coordinates(const Convention& convention, std::int64_t height, std::int64_t width) {
  const auto of = [&]<class Kind>(const Kind& kind) -> plan::CoordinatePlan {
    if constexpr (std::is_same_v<Kind, Unstated>) return {};
    if constexpr (!std::is_same_v<Kind, Unstated>) return coordinates(kind, {height, width});
  };
  return std::visit(of, std::get<LogCoordinates>(convention).coordinates);
}

plan::FactorPlan lower_factor(const Convention& convention) {
  const auto of = []<class Kind>(const Kind& kind) -> plan::FactorPlan {
    if constexpr (std::is_same_v<Kind, Unstated>) return {};
    if constexpr (!std::is_same_v<Kind, Unstated>) return factor(kind);
  };
  return std::visit(of, std::get<QueryScale>(convention).factor);
}

plan::IndexPlan lower_index(const Convention& convention) {
  const Learned& learned = std::get<Learned>(convention);
  plan::IndexPlan plan = {std::ssize(learned.axes), {}, learned.offset, beyond(learned.past_end), 0};
  if (const auto* index = std::get_if<IndexRows>(&learned.combine)) plan.columns = index->columns;
  if (const auto* rows = std::get_if<std::vector<std::int64_t>>(&learned.rows)) {
    plan.rows = *rows;
    plan.rows.resize(static_cast<std::size_t>(plan.tables()), rows->front());
  }
  return plan;
}

}  // namespace posenc
