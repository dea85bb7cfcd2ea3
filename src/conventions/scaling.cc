// SPDX-License-Identifier: Apache-2.0
// Linear, NTK, YaRN, LongRoPE, llama3, proportional and clipped scaling in closed form.
#include "src/conventions/scaling.h"

#include <algorithm>

#include "src/base/to_text.h"
#include "src/conventions/problem.h"
#include "src/numerics/evaluate.h"
#include "src/plan/enclosed_ladder.h"

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

using Factor = decltype(plan::Stretch::factor);

// Entry k times *factor_of(k).
template <class FactorOf>
plan::Ladder in_stretches(const Unscaled& w, const FactorOf& factor_of) {
  plan::Scaled scaled = {w.rule, {}};
  const Factor* last = nullptr;
  for (std::int64_t k = 0; k < w.span.count; ++k) {
    const Factor* const factor = factor_of(k);
    if (factor != last) scaled.stretches.push_back({0, *factor});
    scaled.stretches.back().end = static_cast<std::size_t>(k) + 1;
    last = factor;
  }
  return {std::move(scaled)};
}

/// An answer that changes at most once along a ladder, as it does where entries only fall or only rise.
struct OneChange {
  bool first;          // of entry 0
  std::int64_t count;  // of entries that answer so

  bool operator()(std::int64_t k) const { return (k < count) == first; }
};

// By halving, since few entries are so near to a change that a comparison asks for their exact form.
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

// Pair r ln(length / (2 pi t)) / (2 ln base) makes t turns within the length.
struct TurnsOfPairs {
  Real width, twice_ln_base;
  Rational half_length;

  TurnsOfPairs(const Unscaled& w, const YarnScaling& yarn)
      : width(w.span.width),
        twice_ln_base(Real(2) * numerics::logarithm(w.base)),
        half_length(Rational(yarn.length) * fraction(1, 2)) {}

  Real pair(double t) const {
    const Real turns = numerics::logarithm(Real(half_length / Rational(t)) * numerics::pi_to_the(-1));
    return numerics::quotient(width * turns, twice_ln_base);
  }
};

// A ramp between two such pairs, over 2 ln base k in place of k: its ends are no quotients then, and their difference
// has no ln pi, so that two logarithms are made in place of six.
plan::Ramp ramp_between_turns(const TurnsOfPairs& turns, const YarnScaling& yarn) {
  const Rational fast = yarn.fast, ratio = turns.half_length / fast;
  const Real low = turns.width * (numerics::logarithm(ratio) - numerics::logarithm(numerics::pi_to_the(1)));
  const Real high = low + turns.width * numerics::logarithm(fast / Rational(yarn.slow));
  return {plan::Ramp::Over::index, turns.twice_ln_base, low, high, 1, 1};
}

// Beyond every ladder.
constexpr std::int64_t far = INT64_MAX / 2;

// floor(x). An x that no number of bits tells from a whole number is that number.
std::int64_t whole_below(const Real& x) {
  if (const auto floor = numerics::floor(x)) return *floor;
  if (const auto nearest = numerics::floor(x + Real(fraction(1, 2)))) return *nearest;
  return numerics::less(0, x).value_or(false) ? far : -far;
}

// A pair between 0 and `last`, not always whole, and the pairs below it.
struct Bound {
  Real at;
  std::int64_t below;  // pairs k < at, from k = 0 on
};
Bound clamped(const Real& x, std::int64_t floor, std::int64_t last) {
  if (floor < 0) return {0, 0};
  if (floor >= last) return {last, last};
  return {x, floor + (Real(floor) == x ? 0 : 1)};
}

struct Band {
  Bound low, high;
  bool clamped = true;  // an end, or both made whole
};
Band band_of(const Unscaled& w, const YarnScaling& yarn, const TurnsOfPairs& turns) {
  const std::int64_t last = w.span.width - 1;
  const Real fast = turns.pair(yarn.fast), slow = turns.pair(yarn.slow);
  Band band;
  if (yarn.truncate == Truncate::whole) {
    const std::int64_t low = whole_below(fast), high = -whole_below(-slow);
    band = {clamped(low, low, last), clamped(high, high, last)};
  } else {
    band = {clamped(fast, whole_below(fast), last), clamped(slow, whole_below(slow), last)};
    band.clamped = band.low.at != fast || band.high.at != slow;
  }
  if (band.low.at == band.high.at) {
    const Real high = band.high.at + Real(fraction(1, 1000));
    band.high = {high, -whole_below(-high)};
    band.clamped = true;
  }
  return band;
}

// Pairs up to `low` are kept, those from `high` on are divided.
plan::Ladder scaled_by(const Unscaled& w, const YarnScaling& yarn) {
  const TurnsOfPairs turns(w, yarn);
  const Band band = band_of(w, yarn, turns);
  const Real by_factor = Rational(1) / Rational(yarn.factor);
  const Factor kept = Real(1), divided = by_factor;
  plan::Ramp ramp = {plan::Ramp::Over::index, 1, band.low.at, band.high.at, 1, 1};
  if (!band.clamped) ramp = ramp_between_turns(turns, yarn);
  ramp.at_high = by_factor;
  const Factor between = ramp;
  return in_stretches(w, [&](std::int64_t k) {
    return k < band.low.below ? &kept : k < band.high.below ? &between : &divided;
  });
}

// ---- the others ----------------------------------------------------------------------------------

plan::Ladder scaled_by(const Unscaled& w, const Unstated&) { return {w.rule}; }
plan::Ladder scaled_by(const Unscaled& w, const Nothing&) { return {w.rule}; }

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
  plan::Scaled scaled = {w.rule, {}};
  for (const double factor : factors) {
    scaled.stretches.push_back({scaled.stretches.size() + 1, Real(Rational(1) / Rational(factor))});
  }
  return {std::move(scaled)};
}

plan::Ladder scaled_by(const Unscaled& w, const Llama3Scaling& by) {
  const Real by_factor = Rational(1) / Rational(by.factor), low = by.low, high = by.high;
  const Real turn = Real(fraction(by.length, 2)) * numerics::pi_to_the(-1);
  const std::vector<numerics::Enclosure> turns = plan::enclosed({w.rule}, turn);
  const auto more_turns = [&](std::int64_t k, const Real& than) {
    const numerics::Enclosure x = numerics::enclose(-than, 128);
    const int found = numerics::sign(numerics::add(turns[static_cast<std::size_t>(k)], x, 256));
    return found != 0 ? found : numerics::sign(w[k] * turn - than).value_or(0);
  };
  const OneChange fast = one_change(w.span.count, [&](std::int64_t k) { return more_turns(k, high) > 0; });
  const OneChange slow = one_change(w.span.count, [&](std::int64_t k) { return more_turns(k, low) < 0; });
  const bool has_band = by.low != by.high;
  const Factor kept = Real(1), divided = by_factor;
  const Factor between = plan::Ramp{plan::Ramp::Over::entry, turn, low, high, by_factor, 1};
  return in_stretches(w, [&](std::int64_t k) { return fast(k) ? &kept : slow(k) || !has_band ? &divided : &between; });
}

plan::Ladder scaled_by(const Unscaled& w, const ProportionalScaling& by) {
  const auto turned = static_cast<std::int64_t>(by.part * static_cast<double>(w.span.width) / 2);
  const Factor divided = Real(Rational(1) / Rational(by.factor)), none = Real();
  return in_stretches(w, [&](std::int64_t k) { return k < turned ? &divided : &none; });
}

plan::Ladder scaled_by(const Unscaled& w, const ClippedScaling& by) {
  const std::int64_t clipped = std::min(by.pairs, w.span.count), kept = w.span.count - clipped;
  plan::Scaled scaled = {w.rule, {}};
  if (kept > 0) scaled.stretches.push_back({static_cast<std::size_t>(kept), Real(1)});
  scaled.stretches.push_back(
      {static_cast<std::size_t>(w.span.count), plan::Taper{std::max<std::int64_t>(clipped - 1, 1), 1}});
  return {std::move(scaled)};
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
