// SPDX-License-Identifier: Apache-2.0
// The factor of a query at one position, as a real number.
#pragma once

#include "src/numerics/evaluate.h"
#include "src/plan/factor_plan.h"

namespace posenc {

/// The number that a factor depends on: whole steps, or p + origin; 0 stands for all whose factor is 1.
inline numerics::Rational factor_argument(const plan::FactorPlan& plan, const numerics::Rational& p) {
  const numerics::Rational x = p + plan.origin;
  if (plan.by_steps()) return numerics::Rational(numerics::floor(x / plan.every));
  return x <= plan.every ? numerics::Rational(0) : x;
}

/// The factor of such a number.
inline numerics::Real factor_of(const plan::FactorPlan& plan, const numerics::Rational& x) {
  if (x.zero()) return numerics::Real(1);
  if (plan.form == plan::FactorPlan::Form::ratio) return numerics::quotient(numerics::logarithm(x), plan.over);
  return numerics::Real(1) +
         plan.gain * numerics::logarithm(plan.by_steps() ? numerics::Rational(1) + x : x / plan.every);
}

}  // namespace posenc
