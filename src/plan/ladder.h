// SPDX-License-Identifier: Apache-2.0
// A list of angular frequencies w_k as real numbers, in radians per position: a rule, or a list. Entry k is made when
// it is asked for; a rule stores nothing per entry.
#pragma once

#include <variant>

#include "src/numerics/real.h"

namespace posenc::plan {

/// base^exponent from an entry to the next, base > 0.
struct Step {
  numerics::Rational base, exponent;
  friend bool operator==(const Step&, const Step&) = default;
};

/// Entry k < count is first * the product of base^(k exponent) over the steps.
struct Rule {
  numerics::Real first;
  std::vector<Step> steps;
  std::size_t count = 0;
  friend bool operator==(const Rule&, const Rule&) = default;
};

/// From an entry to the next: the product of the steps.
numerics::Real ratio(const Rule& rule);

/// Entry k is values[k] * unit.
struct Values {
  std::vector<double> values;
  numerics::Real unit;
  friend bool operator==(const Values&, const Values&) = default;
};

struct Ladder {
  std::variant<Rule, Values, std::vector<numerics::Real>> form;

  std::size_t size() const;
  numerics::Real operator[](std::size_t k) const;
};

/// The same real numbers in the same order, in whatever form.
bool operator==(const Ladder& a, const Ladder& b);

}  // namespace posenc::plan
