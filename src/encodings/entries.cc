// SPDX-License-Identifier: Apache-2.0
// Waves to their columns; constants, coordinates and angles one by one.
#include "src/encodings/entries.h"

#include <algorithm>

#include "src/base/elements.h"
#include "src/base/scratch.h"

namespace posenc {
namespace {

using numerics::Real;
using plan::Column;
using plan::Kind;

// The angles of the waves of a row, in the order of their sines, then of cosines alone.
AngleList angles_of(const plan::RowPlan& plan) {
  AngleList list;
  for (const unsigned quarter : {0u, 1u}) {
    for (const Column& c : plan.columns) {
      if (c.kind == Kind::wave && c.quarter % 2 == quarter) list.place_of({c.axis, c.frequency});
    }
  }
  return list;
}

// An angle of one plain axis.
bool is_product(const plan::RowPlan& plan, const Column& column) {
  return column.kind == Kind::angle && plan.phases.empty() && column.axis < plan.axes.size() &&
         plan.axes[column.axis] == plan::Axis{};
}

template <class T>
bool is_zero(T value) {
  return value == T(0.0f) || negated(value) == T(0.0f);  // halves are compared by their bits
}

}  // namespace

Entries::Entries(const plan::RowPlan& plan) : Entries(plan, angles_of(plan)) {}

Entries::Entries(const plan::RowPlan& plan, AngleList list)
    : plan_(plan), angles_(AxisAngles(plan.axes, plan.ladders, plan.phases), list.all(), plan.scale) {
  for (std::uint32_t c = 0; c < plan.columns.size(); ++c) {
    const Column& column = plan.columns[c];
    if (column.kind == Kind::wave) {
      waves_.push_back({c, list.place_of({column.axis, column.frequency}), column.quarter});
    } else {
      const bool as_given =
          column.kind == Kind::coordinate && plan.axes[column.axis] == plan::Axis{} && plan.scale == Real(1);
      others_.push_back({c, column, as_given, {}});
      if (is_product(plan, column)) {
        others_.back().by.emplace(plan.ladders[column.axis][column.frequency] * plan.scale);
      }
    }
  }
  pattern_ = pattern();
}

std::optional<Entries::Pattern> Entries::pattern() const {
  std::vector<std::uint32_t> sines, cosines;
  for (const auto& [column, angle, quarter] : waves_) {
    if (quarter > 1) return std::nullopt;
    std::vector<std::uint32_t>& of = quarter == 0 ? sines : cosines;
    if (of.size() != angle) return std::nullopt;
    of.push_back(column);
  }
  if (sines.size() != angles_.of().size() || cosines.empty()) return std::nullopt;
  const std::uint32_t step = sines.size() == 1 ? 1 : sines[1] - sines[0];
  const Pattern found = {sines[0], cosines[0], step, static_cast<std::uint32_t>(cosines.size())};
  const auto spaced = [&](const std::vector<std::uint32_t>& columns) {
    for (std::uint32_t i = 0; i < columns.size(); ++i) {
      if (columns[i] != columns[0] + i * step) return false;
    }
    return true;
  };
  const bool kept = step == 1 || (step == 2 && found.cosine_at == found.sine_at + 1);
  return kept && spaced(sines) && spaced(cosines) ? std::optional(found) : std::nullopt;
}

template <class T>
std::optional<T> Entries::constant(unsigned quarters) const {
  if (quarters % 2 == 0) return T(0.0f);
  const std::optional<T> one = angles_.one<T>();
  return one && quarters == 3 ? negated(*one) : one;
}

template <class T>
std::optional<T> Entries::entry(const Others& other, Place place) const {
  const Column& column = other.of;
  if (other.as_given) return numerics::round<T>(*place[column.axis]);
  if (other.by) return other.by->times_difference<T>(*place[column.axis], {});
  if (column.kind == Kind::constant) return constant<T>(column.quarter);
  const AxisAngles& angles = angles_.angles();
  if (column.kind == Kind::coordinate) {
    const std::optional<Real> x = angles.coordinate(column.axis, place);
    return x ? numerics::rounded<T>(*x * plan_.scale) : std::nullopt;
  }
  return numerics::rounded<T>(angles.angle({column.axis, column.frequency}, place) * plan_.scale);
}

template <class T>
bool Entries::write_waves(Place place, T* out, std::int64_t step) const {
  const std::size_t n = angles_.of().size();
  if (pattern_ && step == 1) {
    return angles_.at<T>(place,
                         {out + pattern_->sine_at, out + pattern_->cosine_at, n, pattern_->cosines, pattern_->step});
  }
  LocalScratch<T> scratch;
  T *const sine = scratch.take(2 * n), *const cosine = sine + n;
  const bool decided = angles_.at<T>(place, {sine, cosine, n, n, 1});
  for (const auto& [column, angle, quarter] : waves_) {
    T value = quarter % 2 == 0 ? sine[angle] : cosine[angle];
    // At angle 0 -sin is +0, as is sin.
    const bool kept = quarter == 2 && is_zero(value) && angles_.angles().angle(angles_.of()[angle], place).zero();
    if (quarter >= 2 && !kept) value = negated(value);
    out[column * step] = value;
  }
  return decided;
}

template <class T>
bool Entries::write_row(Place place, T* out, std::int64_t step) const {
  if (!std::all_of(place.begin(), place.end(), [](const auto& x) { return x.has_value(); })) {
    for (std::size_t c = 0; c < plan_.columns.size(); ++c) out[static_cast<std::int64_t>(c) * step] = T(0.0f);
    return true;
  }
  bool decided = waves_.empty() || write_waves(place, out, step);
  for (const Others& other : others_) {
    const std::optional<T> value = entry<T>(other, place);
    if (value) out[other.column * step] = *value;
    decided &= value.has_value();
  }
  return decided;
}

template bool Entries::write_row(Place, float*, std::int64_t) const;
template bool Entries::write_row(Place, double*, std::int64_t) const;
template bool Entries::write_row(Place, half*, std::int64_t) const;
template bool Entries::write_row(Place, bfloat16*, std::int64_t) const;
template std::optional<float> Entries::constant(unsigned) const;
template std::optional<double> Entries::constant(unsigned) const;
template std::optional<half> Entries::constant(unsigned) const;
template std::optional<bfloat16> Entries::constant(unsigned) const;

}  // namespace posenc
