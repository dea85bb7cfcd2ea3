// SPDX-License-Identifier: Apache-2.0
// A list of angular frequencies w_k as real numbers, in radians per position: a rule, or a list. Entry k is made when
// it is asked for; a rule stores nothing per entry.
#pragma once

#include <optional>
#include <variant>

#include "src/numerics/real.h"

namespace posenc::plan {

/// base^exponent from an entry to the next, base > 0.
struct Step {
  numerics::Rational base, exponent;
  friend bool operator==(const Step&, const Step&) = default;
};

/// Entry k < count is first * e^(natural k) * the product of base^(k exponent) over the steps.
struct Rule {
  numerics::Real first;
  std::vector<Step> steps;
  std::size_t count = 0;
  numerics::Rational natural = {};
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

/// at_low + (at_high - at_low) (x - low) / (high - low), x = k unit or w_k unit, w_k entry k of the rule.
struct Ramp {
  enum class Over : std::uint8_t { index = 1, entry };
  Over over;
  numerics::Real unit, low, high, at_low, at_high;
  friend bool operator==(const Ramp&, const Ramp&) = default;
};

/// The falling half of a Hann window: first (1 + cos(pi j / gaps)) / 2 for the j-th entry of a stretch, 0 <= j <= gaps.
struct Taper {
  std::int64_t gaps;  ///< > 0
  numerics::Real first;
  friend bool operator==(const Taper&, const Taper&) = default;
};

/// Entries up to `end`, each times one number or each by its own.
struct Stretch {
  std::size_t end;
  std::variant<numerics::Real, Ramp, Taper> factor;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// Entry k is w_k * the factor of its stretch; the stretches follow each other and the last one ends with the rule.
struct Scaled {
  Rule rule;
  std::vector<Stretch> stretches;
  friend bool operator==(const Scaled&, const Scaled&) = default;
};

struct Ladder {
  std::variant<Rule, Values, Scaled, std::vector<numerics::Real>> form;
  std::vector<std::uint32_t> picked = {};  ///< the entries of `form` that it has, in order; empty: all

  std::size_t size() const;
  numerics::Real operator[](std::size_t k) const;
};

/// Select some entries of a whole ladder.
Ladder only(const std::vector<std::uint32_t>& entries, Ladder ladder);

/// Entry k is (first + k step) unit, first and step rational.
struct Even {
  numerics::Rational first, step;
  numerics::Real unit;
};
/// The form of a whole ladder whose entries stand at one distance from each other, where that form shows it.
std::optional<Even> even(const Ladder& ladder);

/// May an entry be a rational multiple of pi?
bool in_turns(const Ladder& ladder);

/// The same form, and so the same numbers: a quick answer.
inline bool same_form(const Ladder& a, const Ladder& b) { return a.form == b.form && a.picked == b.picked; }
/// The same real numbers in the same order, in whatever form.
bool operator==(const Ladder& a, const Ladder& b);

}  // namespace posenc::plan
