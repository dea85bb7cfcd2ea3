// SPDX-License-Identifier: Apache-2.0
// Angles as sums of products.
#include "src/encodings/axis_angles.h"

#include <algorithm>

#include "src/base/elements.h"
#include "src/plan/enclosed_ladder.h"

namespace posenc {
namespace {

using numerics::Dyadic;
using numerics::Rational;
using numerics::Real;
using numerics::Wave;

SignedTurn turns_of(const plan::SignedTurn& of) { return {of.w, {of.w.zero() ? 0u : 1u, 0, of.negative}}; }

// Fewer than the ladder has entries where 2^15 bits do not tell one from 0.
std::vector<AxisAngles::Parts> parts_of(const plan::Axis& axis, const plan::Ladder& ladder) {
  const std::vector<plan::SignedTurn> steps = plan::signed_turns(ladder, axis.step),
                                      starts = plan::signed_turns(ladder, axis.start);
  const bool in_turns = plan::in_turns(ladder);
  std::vector<AxisAngles::Parts> made;
  for (std::size_t k = 0; k < std::min(steps.size(), starts.size()); ++k) {
    made.push_back({turns_of(steps[k]), turns_of(starts[k]), {}});
    if (!in_turns) continue;
    const Real by = ladder[k] * Real(axis.step);
    made.back().quarters = numerics::quarter_turns_of(steps[k].negative ? -by : by);
  }
  return made;
}

// The first axis that has the same ladder and the same coordinates.
std::size_t like_before(const std::vector<plan::Axis>& axes, const std::vector<plan::Ladder>& ladders, std::size_t a) {
  std::size_t like = 0;
  while (axes[like] != axes[a] || !plan::same_form(ladders[like], ladders[a])) ++like;
  return like;
}

Dyadic times(const SignedTurn& of, const Dyadic& p) { return {p.mantissa, p.exponent, p.negative != of.p.negative}; }

// A wave of |angle| of so many quarter turns, not 0 of them, times the scale.
template <class T>
std::optional<T> of_quarters(unsigned quarters, bool negative, const ScaleOf& scale) {
  if (quarters % 2 == 0) {
    const Real exact = scale.leading ? Real(1) : scale.exact();
    const std::optional<int> side = scale.leading ? std::optional(scale.leading->negative ? -1 : 1) : sign(exact);
    if (!side) return std::nullopt;
    return *side != 0 && negative != (*side < 0) ? negated(T(0.0f)) : T(0.0f);
  }
  std::optional<T> one = scale.leading ? numerics::settle<T>(*scale.leading) : std::nullopt;
  if (!one) one = numerics::rounded<T>(scale.exact());
  const bool is_zero = one && *one == T(0.0f);
  return one && !is_zero && (quarters == 3) != negative ? negated(*one) : one;
}

}  // namespace

std::optional<SignedTurn> turns_of(const Real& w) {
  if (w.zero()) return SignedTurn{};
  const std::optional<numerics::Turn> turn = numerics::turn(w);
  const std::optional<int> sign = numerics::sign(w);
  if (!turn || !sign) return std::nullopt;
  return SignedTurn{*turn, {1, 0, *sign < 0}};
}

std::optional<numerics::uint128> fraction_of(const SignedTurn& of) {
  if (of.w.zero()) return 0;
  if (of.w.exponent > 64) return std::nullopt;
  return numerics::fraction128(of.w);
}

AxisAngles::AxisAngles(const std::vector<plan::Axis>& axes, const std::vector<plan::Ladder>& ladders,
                       const std::vector<Real>& phases)
    : axes_(axes), ladders_(ladders), phases_(phases), parts_(axes.size()) {
  logarithms_ = std::ranges::any_of(axes, [](const plan::Axis& axis) { return axis.of != plan::Axis::Of::number; });
  if (logarithms_) return;
  for (const Real& phase : phases_) {
    const std::optional<SignedTurn> turns = turns_of(phase);
    if (!turns) return;
    phase_turns_.push_back(*turns);
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const std::size_t like = like_before(axes, ladders, a);
    parts_[a] = like < a ? parts_[like] : parts_of(axes[a], ladders[a]);
    if (parts_[a].size() < ladders[a].size()) return;
  }
  quick_ = true;
}

std::optional<numerics::uint128> AxisAngles::start(const plan::Angle& angle) const {
  numerics::uint128 sum = 0;
  if (angle.axis == plan::no_axis) return sum;
  const auto add = [&](const SignedTurn& part) {
    const std::optional<numerics::uint128> fraction = fraction_of(part);
    sum += part.p.negative ? 0 - fraction.value_or(0) : fraction.value_or(0);
    return fraction.has_value();
  };
  if (has_phases() && !add(phase(angle.frequency))) return std::nullopt;
  for (std::size_t a = 0; a < axes(); ++a) {
    if (has_axis(angle, a) && !add(parts(a, angle.frequency).start)) return std::nullopt;
  }
  return sum;
}

std::optional<Real> AxisAngles::coordinate(std::size_t axis, Place place) const {
  const Rational number = axes_[axis].step * Rational(*place[axis]) + axes_[axis].start;
  if (axes_[axis].of == plan::Axis::Of::number) return Real(number);
  if (number.zero() || number.negative) return std::nullopt;
  return numerics::logarithm(number);
}

Real AxisAngles::angle(const plan::Angle& angle, Place place) const {
  if (angle.axis == plan::no_axis) return {};
  Real sum = phases_.empty() ? Real() : phases_[angle.frequency];
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (has_axis(angle, a)) sum = sum + *coordinate(a, place) * ladders_[a][angle.frequency];
  }
  return sum;
}

// Where the angle is p times one frequency.
std::optional<AxisAngles::Quarters> AxisAngles::whole_quarters(const plan::Angle& angle, Place place) const {
  if (angle.axis == plan::every_axis || !phases_.empty()) return std::nullopt;
  const Dyadic& p = *place[angle.axis];
  const auto& [step, start, quarters] = parts_[angle.axis][angle.frequency];
  if (quarters.denominator == 0 || p.zero() || step.w.zero() || !start.w.zero()) return std::nullopt;
  const std::optional<unsigned> whole = quarters.whole(p);
  if (!whole) return std::nullopt;
  return Quarters{*whole, times(step, p).negative};
}

void AxisAngles::sum(const plan::Angle& angle, Place place, numerics::TurnSum& sum) const {
  if (!phases_.empty()) sum.add(phase_turns_[angle.frequency].w, phase_turns_[angle.frequency].p);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (!has_axis(angle, a)) continue;
    const auto& [step, start, quarters] = parts_[a][angle.frequency];
    sum.add(step.w, times(step, *place[a]));
    sum.add(start.w, start.p);
  }
}

template <class T>
std::optional<numerics::Pair<T>> AxisAngles::pair(const plan::Angle& of, Place place, const ScaleOf& scale) const {
  numerics::TurnSum products;
  if (quick_ && of.axis != plan::no_axis) {
    if (const std::optional<Quarters> at = whole_quarters(of, place)) {
      const auto sine = of_quarters<T>(at->whole, at->negative, scale);
      const auto cosine = of_quarters<T>((at->whole + 1) % 4, false, scale);
      if (!sine || !cosine) return std::nullopt;
      return numerics::Pair<T>{*sine, *cosine};
    }
    sum(of, place, products);
  }
  if (of.axis == plan::no_axis || (quick_ && products.nothing())) {
    const std::optional<T> one = of_quarters<T>(1, false, scale);
    return one ? std::optional(numerics::Pair<T>{T(0.0f), *one}) : std::nullopt;
  }
  for (std::size_t a = 0; logarithms_ && a < axes_.size(); ++a) {
    if (has_axis(of, a) && !coordinate(a, place)) return std::nullopt;
  }
  return numerics::exact_pair<T>(products, scale.leading, [&](Wave wave) -> std::optional<T> {
    const Real x = angle(of, place);
    if (wave == Wave::sine && x.zero()) return T(0.0f);
    return numerics::exact_wave<T>(wave, x, scale.exact());
  });
}

template std::optional<numerics::Pair<float>> AxisAngles::pair(const plan::Angle&, Place, const ScaleOf&) const;
template std::optional<numerics::Pair<double>> AxisAngles::pair(const plan::Angle&, Place, const ScaleOf&) const;
template std::optional<numerics::Pair<half>> AxisAngles::pair(const plan::Angle&, Place, const ScaleOf&) const;
template std::optional<numerics::Pair<bfloat16>> AxisAngles::pair(const plan::Angle&, Place, const ScaleOf&) const;

}  // namespace posenc
