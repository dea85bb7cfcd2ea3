// SPDX-License-Identifier: Apache-2.0
// Short forms: what they state of the other fields, and which conventions have one. A value that breaks a rule comes
// back as it went in, so that its message names the field that was written.
#include <utility>

#include "src/conventions/short_fields.h"

namespace posenc {
namespace {

constexpr const char *position_axis = "position", *step_axis = "step", *column_axis = "x", *line_axis = "y";

using WaveAxes = std::vector<std::string>;

// Of an order that was not stated, axes without names, so that its message says so.
WaveAxes cell_axes(AxisOrder order) {
  switch (order) {
    case AxisOrder::column_first: return {column_axis, line_axis};
    case AxisOrder::row_first: return {line_axis, column_axis};
    default: return {"", ""};
  }
}

Waves plain_waves(WaveAxes axes, Ladder ladder, Layout layout) {
  return {.axes = std::move(axes),
          .ladders = {std::move(ladder)},
          .rungs = Rungs::own,
          .sections = Equal{},
          .deal = {},
          .order = PairOrder::axis_major,
          .layout = layout,
          .scope = Scope::run,
          .parts = WaveParts::both,
          .phases = Nothing{},
          .angle_factor = 1,
          .odd_width = OddWidth::refused,
          .rest = RestColumns::refused,
          .lead = Lead::nothing,
          .scale = 1.0,
          .normalise = Normalise::none,
          .absent = Absent::nothing};
}

// All that no short form of waves states.
bool is_plain(Waves w) {
  if (w.ladders.size() != 1) return false;
  w.axes.clear(), w.ladders[0] = Ladder();
  w.layout = Layout(), w.angle_factor = 1, w.odd_width = OddWidth::refused;
  return w == plain_waves({}, Ladder(), Layout());
}

bool is_plain(Rotary r) {
  if (r.ladders.size() != 1) return false;
  r.ladders[0] = Ladder(), r.pairing = Pairing();
  return r == Rotary(Ladder(), Pairing());
}

// A ladder of version 1. A spacing that was not stated is one, so that its message says so.
bool is_plain(const Ladder& ladder) {
  if (const auto* own = std::get_if<Listed>(&ladder)) return own->unit == AngleUnit::radians;
  const auto* geometric = std::get_if<Geometric>(&ladder);
  return geometric != nullptr && geometric->slope == LadderSlope::falling &&
         std::holds_alternative<Nothing>(geometric->scaling) && geometric->unit == AngleUnit::radians &&
         (!schema::word_of(geometric->spacing).empty() || geometric->spacing == Spacing{});
}

// Ladder of a timestep: w_0 is 1, over n - shift.
bool is_of_steps(const Ladder& ladder) {
  const auto* geometric = std::get_if<Geometric>(&ladder);
  if (geometric == nullptr || geometric->first != 1) return false;
  Geometric named = *geometric;
  named.spacing.shift = 1;
  return named.spacing == Spacing::over_gaps && is_plain(Ladder(named));
}

bool is_first_version(OddWidth rule) { return rule != OddWidth::repeated_cosine && rule != OddWidth::zero_row; }

ShortForm short_of(const Waves& w) {
  if (!is_plain(w)) return {};
  const Ladder& ladder = w.ladders[0];
  if (w.axes == WaveAxes{step_axis}) {
    if (w.odd_width != OddWidth::zero_column || !is_of_steps(ladder)) return {};
    const auto& steps = std::get<Geometric>(ladder);
    return Timestep{steps.base, steps.spacing.shift, w.angle_factor, w.layout};
  }
  if (w.angle_factor != 1 || !is_plain(ladder)) return {};
  if (w.axes == WaveAxes{position_axis} && is_first_version(w.odd_width)) {
    return Sinusoid{ladder, w.layout, w.odd_width};
  }
  if (w.odd_width != OddWidth::refused) return {};
  for (const AxisOrder order : {AxisOrder::column_first, AxisOrder::row_first, AxisOrder()}) {
    if (w.axes == cell_axes(order)) return Grid{ladder, w.layout, order};
  }
  return {};
}

ShortForm short_of(const Rotary& r) {
  if (!is_plain(r) || !is_plain(r.ladders[0])) return {};
  return PlainRotary{r.ladders[0], r.pairing};
}

ShortForm short_of(Slopes s) {
  const Bias bias = {std::exchange(s.octaves, 0)};
  if (s != Slopes(Bias{0})) return {};
  return bias;
}

// Of a family that version 1 does not know.
template <class Family>
ShortForm short_of(const Family&) {
  return {};
}

}  // namespace

ShortForm short_form(const Convention& convention) {
  return std::visit([](const auto& each) { return short_of(each); }, convention);
}

Sinusoid::operator Waves() const {
  Waves waves = plain_waves({position_axis}, ladder, layout);
  waves.odd_width = odd_width;
  return waves;
}

Grid::operator Waves() const { return plain_waves(cell_axes(axis_order), ladder, layout); }

Timestep::operator Waves() const {
  Geometric steps = {max_period, 1, Spacing::over_gaps};
  steps.spacing.shift = shift;
  Waves waves = plain_waves({step_axis}, steps, layout);
  waves.angle_factor = scale;
  waves.odd_width = OddWidth::zero_column;
  return waves;
}

Rotary::Rotary(Ladder ladder, Pairing pairs)
    : axes{position_axis},
      ladders{std::move(ladder)},
      rungs(Rungs::own),
      sections(Equal{}),
      order(PairOrder::axis_major),
      pairing(pairs),
      pairing_scope(PairingScope::row),
      written(Written::in_place),
      angles(AnglesBy::pair),
      turn(TurnTo::forward),
      odd_width(OddRotated::refused),
      part(AllColumns{}),
      where(HeadEnd::first),
      magnitude(1.0),
      decay(Nothing{}),
      stored(StoredAs::none) {}

Bias::operator Slopes() const {
  return {.octaves = octaves,
          .value = BiasValue::minus_distance,
          .over = KeysCounted::all,
          .slope_rounding = SlopeRounding::none,
          .scale = 1.0,
          .heads_beyond = HeadsBeyond::odd_steps};
}

}  // namespace posenc
