// SPDX-License-Identifier: Apache-2.0
// Angles as sums of products, each entry rounded once.
#include "src/encodings/entries.h"

#include <algorithm>

#include "src/base/elements.h"

namespace posenc {
namespace {

using numerics::Dyadic;
using numerics::Rational;
using numerics::Real;
using numerics::TurnProduct;
using numerics::Wave;
using plan::Column;
using plan::Kind;

// w as turns and sign; nothing where 2^15 bits do not tell it from 0.
std::optional<TurnProduct> turns_of(const Real& w) {
  const std::optional<numerics::Turn> turn = numerics::turn(w);
  const std::optional<int> sign = numerics::sign(w);
  if (!turn || !sign) return std::nullopt;
  return TurnProduct{*turn, {1, 0, *sign < 0}};
}

TurnProduct times(TurnProduct of, const Dyadic& p) {
  of.p = {p.mantissa, p.exponent, p.negative != of.p.negative};
  return of;
}

bool is_nothing(const TurnProduct& product) { return product.w.zero() || product.p.zero(); }

}  // namespace

// ---- angles --------------------------------------------------------------------------------------

AxisAngles::AxisAngles(const std::vector<plan::Axis>& axes, const std::vector<plan::Ladder>& ladders,
                       const std::vector<Real>& phases)
    : axes_(axes), ladders_(ladders), phases_(phases) {
  for (const Real& phase : phases_) {
    const std::optional<TurnProduct> turns = turns_of(phase);
    if (!turns) return;  // no quick path
    phase_turns_.push_back(*turns);
  }
  std::vector<std::vector<Parts>> parts(axes.size());
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].of != plan::Axis::Of::number) return;
    for (std::size_t k = 0; k < ladders[a].size(); ++k) {
      const Real w = ladders[a][k];
      const std::optional<TurnProduct> step = turns_of(w * Real(axes[a].step)),
                                       start = turns_of(w * Real(axes[a].start));
      if (!step || !start) return;
      parts[a].push_back({*step, *start});
    }
  }
  parts_ = std::move(parts);
}

std::optional<Real> AxisAngles::coordinate(std::size_t axis, Place place) const {
  const Rational number = axes_[axis].step * Rational(*place[axis]) + axes_[axis].start;
  if (axes_[axis].of == plan::Axis::Of::number) return Real(number);
  if (number.zero() || number.negative) return std::nullopt;
  return numerics::logarithm(number);
}

Real AxisAngles::angle(std::uint16_t axis, std::size_t k, Place place) const {
  Real sum = phases_.empty() ? Real() : phases_[k];
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (has(a, axis)) sum = sum + *coordinate(a, place) * ladders_[a][k];
  }
  return sum;
}

bool AxisAngles::products(std::uint16_t axis, std::size_t k, Place place, std::vector<TurnProduct>& products) const {
  products.clear();
  if (parts_.empty()) return false;
  const auto add = [&](const TurnProduct& product) {
    if (!is_nothing(product)) products.push_back(product);
  };
  if (!phases_.empty()) add(phase_turns_[k]);
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (!has(a, axis)) continue;
    add(times(parts_[a][k].step, *place[a]));
    add(parts_[a][k].start);
  }
  return true;
}

template <class T>
std::optional<T> AxisAngles::wave(Wave wave, std::uint16_t axis, std::size_t k, Place place,
                                  const numerics::Scale& scale) const {
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (has(a, axis) && !coordinate(a, place)) return std::nullopt;
  }
  const auto closed = [&] { return axis == plan::no_axis ? Real() : angle(axis, k, place); };
  std::vector<TurnProduct> quick;
  if (axis == plan::no_axis || !products(axis, k, place, quick)) {
    return numerics::exact_wave<T>(wave, closed(), scale.value);
  }
  return numerics::exact_wave<T>(wave, std::span<const TurnProduct>(quick), closed, scale);
}

// ---- rows ----------------------------------------------------------------------------------------

Entries::Entries(const plan::RowPlan& plan)
    : plan_(plan), angles_(plan.axes, plan.ladders, plan.phases), scale_(numerics::scale(plan.scale)) {}

template <class T>
std::optional<T> Entries::entry(const Column& column, Place place) const {
  if (column.kind == Kind::constant) {
    if (column.quarter % 2 == 0) return T(0.0f);
    return numerics::rounded<T>(column.quarter == 1 ? plan_.scale : -plan_.scale);
  }
  if (column.kind == Kind::coordinate) {
    const std::optional<Real> x = angles_.coordinate(column.axis, place);
    return x ? numerics::rounded<T>(*x * plan_.scale) : std::nullopt;
  }
  if (column.kind == Kind::angle) {
    return numerics::rounded<T>(angles_.angle(column.axis, column.frequency, place) * plan_.scale);
  }
  const Wave wave = column.quarter % 2 == 0 ? Wave::sine : Wave::cosine;
  const std::optional<T> value = angles_.wave<T>(wave, column.axis, column.frequency, place, scale_);
  if (!value) return std::nullopt;
  const bool is_zero = *value == T(0.0f) || negated(*value) == T(0.0f);  // halves are compared by their bits
  if (wave == Wave::sine && is_zero && angles_.angle(column.axis, column.frequency, place).zero()) return T(0.0f);
  return column.quarter >= 2 ? negated(*value) : *value;
}

template <class T>
bool Entries::write_row(Place place, T* out, std::int64_t step) const {
  const bool absent = !std::all_of(place.begin(), place.end(), [](const auto& x) { return x.has_value(); });
  bool decided = true;
  for (const Column& column : plan_.columns) {
    const std::optional<T> value = absent ? T(0.0f) : entry<T>(column, place);
    if (value) *out = *value;
    decided &= value.has_value();
    out += step;
  }
  return decided;
}

template bool Entries::write_row(Place, float*, std::int64_t) const;
template bool Entries::write_row(Place, double*, std::int64_t) const;
template bool Entries::write_row(Place, half*, std::int64_t) const;
template bool Entries::write_row(Place, bfloat16*, std::int64_t) const;
template std::optional<float> AxisAngles::wave(Wave, std::uint16_t, std::size_t, Place, const numerics::Scale&) const;

}  // namespace posenc
