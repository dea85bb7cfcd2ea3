// SPDX-License-Identifier: Apache-2.0
// Linear, NTK, YaRN, LongRoPE, llama3 and proportional scaling in closed form.
#include "src/conventions/scaling.h"

#include <algorithm>

#include "src/base/to_text.h"
#include "src/conventions/problem.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;

// The ladder before its scaling, and what it spans.
struct Unscaled {
  plan::Rule rule;
  Rational base, exponent;  // of its one step
  Span span;

  Real operator[](std::int64_t k) const { return plan::Ladder{rule}[static_cast<std::size_t>(k)]; }
};

// entry(k) for every k.
template <class Entry>
plan::Ladder listed(const Unscaled& w, const Entry& entry) {
  std::vector<Real> list;
  list.reserve(w.rule.count);
  for (std::int64_t k = 0; k < w.span.count; ++k) list.push_back(entry(k));
  return {std::move(list)};
}

/// An answer that changes at most once along a ladder, as it does where entries only fall or only rise.
struct OneChange {
  bool first;          // of entry 0
  std::int64_t count;  // of entries that answer so

  bool operator()(std::int64_t k) const { return (k < count) == first; }
};

// By halving, since a comparison of sums costs as much as an entry.
template <class Answer>
OneChange one_change(std::int64_t count, const Answer& answer) {
  const bool first = answer(0);
  std::int64_t same = 0, other = count;  // entries that do and do not answer so; the end counts as one that does not
  while (other - same > 1) {
    const std::int64_t middle = same + (other - same) / 2;
    (answer(middle) == first ? same : other) = middle;
  }
  return {first, other};
}

// base^(k e) s^(k e r / (r - 2)), as a base of its own.
plan::Ladder with_base(const Unscaled& w, const Rational& factor) {
  plan::Rule rule = w.rule;
  rule.steps.push_back({factor, w.exponent * fraction(w.span.width, w.span.width - 2)});
  return {std::move(rule)};
}

// ---- YaRN ----------------------------------------------------------------------------------------

// r ln(length / (2 pi t)) / (2 ln base): the pair that makes t turns within the length.
Real pair_of_turns(const Unscaled& w, const YarnScaling& yarn, double t) {
  const Rational ratio = Rational(yarn.length) / (Rational(2) * Rational(t));
  const Real turns = numerics::logarithm(Real(ratio) * numerics::pi_to_the(-1));
  return numerics::quotient(Real(w.span.width) * turns, Real(2) * numerics::logarithm(w.base));
}

// `least` or `most` where x is beyond them. What no number of bits tells from a bound is the bound to any of them.
Real clamped(const Real& x, const Real& least, const Real& most) {
  if (!numerics::less(least, x).value_or(false)) return least;
  if (!numerics::less(x, most).value_or(false)) return most;
  return x;
}

struct Band {
  Real low, high;
};
Band band_of(const Unscaled& w, const YarnScaling& yarn) {
  Real low = pair_of_turns(w, yarn, yarn.fast), high = pair_of_turns(w, yarn, yarn.slow);
  if (yarn.truncate == Truncate::whole) {
    low = Real(numerics::floor(low).value_or(0));
    high = -Real(numerics::floor(-high).value_or(0));
  }
  const Real last = w.span.width - 1;
  low = clamped(low, 0, last), high = clamped(high, 0, last);
  if (low == high) high = high + Real(fraction(1, 1000));
  return {low, high};
}

plan::Ladder scaled_by(const Unscaled& w, const YarnScaling& yarn) {
  const auto [low, high] = band_of(w, yarn);
  const Real by_factor = Rational(1) / Rational(yarn.factor);
  const auto ramp_of = [&](std::int64_t k) { return numerics::quotient(Real(k) - low, high - low); };
  const OneChange above =
      one_change(w.span.count, [&](std::int64_t k) { return numerics::less(0, ramp_of(k)).value_or(false); });
  const OneChange below =
      one_change(w.span.count, [&](std::int64_t k) { return numerics::less(ramp_of(k), 1).value_or(false); });
  return listed(w, [&](std::int64_t k) {
    if (!above(k)) return w[k];
    if (!below(k)) return w[k] * by_factor;
    const Real ramp = ramp_of(k);
    return w[k] * by_factor * ramp + w[k] * (Real(1) - ramp);
  });
}

// ---- the others ----------------------------------------------------------------------------------

plan::Ladder scaled_by(const Unscaled& w, const Unstated&) { return {w.rule}; }
plan::Ladder scaled_by(const Unscaled& w, const None&) { return {w.rule}; }

plan::Ladder scaled_by(const Unscaled& w, const LinearScaling& by) {
  plan::Rule rule = w.rule;
  rule.first = rule.first * Real(Rational(1) / Rational(by.factor));
  return {std::move(rule)};
}

plan::Ladder scaled_by(const Unscaled& w, const BaseScaling& by) {
  plan::Rule rule = w.rule;
  rule.steps[0].base = rule.steps[0].base * Rational(by.factor);
  return {std::move(rule)};
}

plan::Ladder scaled_by(const Unscaled& w, const NtkScaling& by) { return with_base(w, by.factor); }

plan::Ladder scaled_by(const Unscaled& w, const DynamicNtkScaling& by) {
  const Rational s = by.factor, longest = std::max(w.span.length, by.length);
  return with_base(w, s * longest / Rational(by.length) - (s - Rational(1)));
}

plan::Ladder scaled_by(const Unscaled& w, const LongRopeScaling& by) {
  const std::vector<double>& factors = w.span.length > by.length ? by.long_factors : by.short_factors;
  return listed(
      w, [&](std::int64_t k) { return w[k] * Real(Rational(1) / Rational(factors[static_cast<std::size_t>(k)])); });
}

plan::Ladder scaled_by(const Unscaled& w, const Llama3Scaling& by) {
  const Real by_factor = Rational(1) / Rational(by.factor), low = by.low, high = by.high;
  const auto turns_of = [&](std::int64_t k) { return w[k] * Real(fraction(by.length, 2)) * numerics::pi_to_the(-1); };
  const OneChange fast =
      one_change(w.span.count, [&](std::int64_t k) { return numerics::less(high, turns_of(k)).value_or(false); });
  const OneChange slow =
      one_change(w.span.count, [&](std::int64_t k) { return numerics::less(turns_of(k), low).value_or(false); });
  return listed(w, [&](std::int64_t k) {
    if (fast(k)) return w[k];
    if (slow(k) || by.low == by.high) return w[k] * by_factor;
    const Real t = (turns_of(k) - low) * Real(Rational(1) / (Rational(by.high) - Rational(by.low)));
    return (Real(1) - t) * w[k] * by_factor + t * w[k];
  });
}

plan::Ladder scaled_by(const Unscaled& w, const ProportionalScaling& by) {
  const auto turned = static_cast<std::int64_t>(by.part * static_cast<double>(w.span.width) / 2);
  const Real by_factor = Rational(1) / Rational(by.factor);
  return listed(w, [&](std::int64_t k) { return k < turned ? w[k] * by_factor : Real(); });
}

Unscaled unscaled(const Geometric& ladder, const Rational& exponent, const Span& span, const Real& unit) {
  const Rational base = ladder.base;
  const plan::Rule rule = {
      unit * Real(Rational(ladder.first)), {{base, exponent}}, static_cast<std::size_t>(span.count)};
  return {rule, base, exponent, span};
}

template <class By>
constexpr bool of_base =
    std::is_same_v<By, BaseScaling> || std::is_same_v<By, NtkScaling> || std::is_same_v<By, DynamicNtkScaling>;

}  // namespace

std::optional<Problem> check_scaling(const Geometric& ladder, const Span& span, const std::string& width) {
  const Scaling& scaling = ladder.scaling;
  const bool dynamic = std::holds_alternative<DynamicNtkScaling>(scaling);
  const auto* by = std::get_if<LongRopeScaling>(&scaling);
  if ((dynamic || by != nullptr) && span.length <= 0) {
    return broken("length must be stated: the scaling depends on it", "none");
  }
  if ((dynamic || std::holds_alternative<NtkScaling>(scaling)) && span.width <= 2) {  // r / (r - 2)
    return broken(width + " must be more than 2: the scaling divides by it less 2", std::to_string(span.width));
  }
  if (std::holds_alternative<YarnScaling>(scaling) && ladder.base <= 1) {
    return broken("base must be > 1 under yarn", to_text(ladder.base));
  }
  if (by == nullptr) return std::nullopt;
  for (const std::vector<double>* factors : {&by->short_factors, &by->long_factors}) {
    if (std::ssize(*factors) == span.count) continue;
    return broken(
        "longrope must list " + std::to_string(span.count) + " factors for " + width + " " + std::to_string(span.width),
        std::to_string(factors->size()));
  }
  return std::nullopt;
}

plan::Rule scaled_rule(const Geometric& ladder, const Rational& exponent, const Span& span) {
  const Unscaled w = unscaled(ladder, exponent, span, 1);
  return std::visit(
      [&]<class Scaling>(const Scaling& by) {
        if constexpr (of_base<Scaling>) return std::get<plan::Rule>(scaled_by(w, by).form);
        return w.rule;
      },
      ladder.scaling);
}

bool scales_base(const Scaling& scaling) {
  return std::visit([]<class By>(const By&) { return of_base<By>; }, scaling);
}

double least_divisor(const Scaling& scaling) {
  return std::visit(
      []<class By>(const By& by) {
        if constexpr (std::is_same_v<By, LongRopeScaling>) {
          return std::min({1.0, std::ranges::min(by.short_factors), std::ranges::min(by.long_factors)});
        } else if constexpr (requires { by.factor; } && !of_base<By>) {
          return std::min(1.0, by.factor);
        } else {
          return 1.0;
        }
      },
      scaling);
}

plan::Ladder scaled(const Geometric& ladder, const Rational& exponent, const Span& span, const Real& unit) {
  const Unscaled w = unscaled(ladder, exponent, span, unit);
  return std::visit([&](const auto& each) { return scaled_by(w, each); }, ladder.scaling);
}

}  // namespace posenc
