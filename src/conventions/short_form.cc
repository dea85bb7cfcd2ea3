// SPDX-License-Identifier: Apache-2.0
// Short forms: what they state of the other fields, and which conventions have one. A value that breaks a rule comes
// back as it went in, so that its message names the field that was written.
#include "src/conventions/short_form.h"

namespace posenc {
namespace {

constexpr std::string_view place = "position", step = "step", column = "x", line = "y";

Waves plain_waves(std::vector<std::string> axes, Ladder ladder, Layout layout) {
  return {.axes = std::move(axes),
          .ladders = {std::move(ladder)},
          .rungs = Rungs::own,
          .sections = Equal{},
          .deal = {},
          .order = PairOrder::axis_major,
          .layout = layout,
          .scope = Scope::run,
          .parts = WaveParts::both,
          .phases = None{},
          .angle_factor = 1,
          .odd_width = OddWidth::refused,
          .rest = RestColumns::refused,
          .lead = Lead::nothing,
          .scale = 1.0,
          .normalise = Normalise::none,
          .absent = Absent::nothing};
}

// Only axes, the ladder, layout, angle_factor and odd_width differ from plain_waves.
bool is_plain(const Waves& w) {
  const auto* scale = std::get_if<double>(&w.scale);
  return w.ladders.size() == 1 && w.rungs == Rungs::own && std::holds_alternative<Equal>(w.sections) &&
         w.deal.empty() && w.order == PairOrder::axis_major && w.scope == Scope::run && w.parts == WaveParts::both &&
         std::holds_alternative<None>(w.phases) && w.rest == RestColumns::refused && w.lead == Lead::nothing &&
         scale != nullptr && *scale == 1 && w.normalise == Normalise::none && w.absent == Absent::nothing;
}

bool is_plain(const Rotary& r) {
  const auto* magnitude = std::get_if<double>(&r.magnitude);
  return r.axes.size() == 1 && r.axes[0] == place && r.ladders.size() == 1 && r.rungs == Rungs::own &&
         std::holds_alternative<Equal>(r.sections) && r.deal.empty() && r.order == PairOrder::axis_major &&
         r.pairing_scope == PairingScope::row && r.written == Written::in_place && r.angles == AnglesBy::pair &&
         r.turn == TurnTo::forward && r.odd_width == OddRotated::refused && std::holds_alternative<All>(r.part) &&
         r.where == HeadEnd::first && magnitude != nullptr && *magnitude == 1 &&
         std::holds_alternative<None>(r.decay) && r.stored == StoredAs::none;
}

// A ladder of version 1. A spacing that was not stated is one, so that its message says so.
bool is_plain(const Ladder& ladder) {
  if (const auto* own = std::get_if<Listed>(&ladder)) return own->unit == AngleUnit::radians;
  const auto* geometric = std::get_if<Geometric>(&ladder);
  return geometric != nullptr && geometric->slope == LadderSlope::falling &&
         std::holds_alternative<None>(geometric->scaling) && geometric->unit == AngleUnit::radians &&
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

bool has_unnamed_axes(const Waves& w) { return w.axes.size() == 2 && w.axes[0].empty() && w.axes[1].empty(); }

Short short_of(const Waves& w) {
  if (!is_plain(w)) return Short::none;
  if (w.axes.size() == 1 && w.axes[0] == step) {
    return w.odd_width == OddWidth::zero_column && is_of_steps(w.ladders[0]) ? Short::timestep : Short::none;
  }
  if (w.angle_factor != 1 || !is_plain(w.ladders[0])) return Short::none;
  if (w.axes.size() == 1 && w.axes[0] == place) return is_first_version(w.odd_width) ? Short::sinusoid : Short::none;
  const bool cells = w.axes.size() == 2 && ((w.axes[0] == column && w.axes[1] == line) ||
                                            (w.axes[0] == line && w.axes[1] == column) || has_unnamed_axes(w));
  return cells && w.odd_width == OddWidth::refused ? Short::grid : Short::none;
}
Short short_of(const Rotary& r) { return is_plain(r) && is_plain(r.ladders[0]) ? Short::rotary : Short::none; }
Short short_of(const Slopes& s) {
  const auto* scale = std::get_if<double>(&s.scale);
  const bool plain = s.value == BiasValue::minus_distance && s.over == KeysCounted::all &&
                     s.slope_rounding == SlopeRounding::none && scale != nullptr && *scale == 1 &&
                     s.heads_beyond == HeadsBeyond::odd_steps;
  return plain ? Short::bias : Short::none;
}

}  // namespace

Short short_of(const Convention& convention) {
  return std::visit([](const auto& each) { return short_of(each); }, convention);
}

// ---- to the families -----------------------------------------------------------------------------------------

Sinusoid::operator Waves() const {
  Waves waves = plain_waves({std::string(place)}, ladder, layout);
  waves.odd_width = odd_width;
  return waves;
}

Grid::operator Waves() const {
  const bool stated = axis_order == AxisOrder::column_first || axis_order == AxisOrder::row_first;
  std::vector<std::string> axes = {std::string(column), std::string(line)};
  if (axis_order == AxisOrder::row_first) std::swap(axes[0], axes[1]);
  if (!stated) axes = {"", ""};
  return plain_waves(std::move(axes), ladder, layout);
}

Timestep::operator Waves() const {
  Geometric steps = {max_period, 1, Spacing::over_gaps};
  steps.spacing.shift = shift;
  Waves waves = plain_waves({std::string(step)}, steps, layout);
  waves.angle_factor = scale;
  waves.odd_width = OddWidth::zero_column;
  return waves;
}

Rotary::Rotary(Ladder ladder, Pairing pairs)
    : axes{std::string(place)},
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
      part(All{}),
      where(HeadEnd::first),
      magnitude(1.0),
      decay(None{}),
      stored(StoredAs::none) {}

Bias::operator Slopes() const {
  return {.octaves = octaves,
          .value = BiasValue::minus_distance,
          .over = KeysCounted::all,
          .slope_rounding = SlopeRounding::none,
          .scale = 1.0,
          .heads_beyond = HeadsBeyond::odd_steps};
}

// ---- and back ------------------------------------------------------------------------------------------------

template <>
std::optional<Sinusoid> short_form(const Convention& convention) {
  if (short_of(convention) != Short::sinusoid) return std::nullopt;
  const Waves& waves = std::get<Waves>(convention);
  return Sinusoid{waves.ladders[0], waves.layout, waves.odd_width};
}

template <>
std::optional<Grid> short_form(const Convention& convention) {
  if (short_of(convention) != Short::grid) return std::nullopt;
  const Waves& waves = std::get<Waves>(convention);
  const AxisOrder order = has_unnamed_axes(waves)   ? AxisOrder{}
                          : waves.axes[0] == column ? AxisOrder::column_first
                                                    : AxisOrder::row_first;
  return Grid{waves.ladders[0], waves.layout, order};
}

template <>
std::optional<Timestep> short_form(const Convention& convention) {
  if (short_of(convention) != Short::timestep) return std::nullopt;
  const Waves& waves = std::get<Waves>(convention);
  const auto& ladder = std::get<Geometric>(waves.ladders[0]);
  return Timestep{ladder.base, ladder.spacing.shift, waves.angle_factor, waves.layout};
}

template <>
std::optional<PlainRotary> short_form(const Convention& convention) {
  if (short_of(convention) != Short::rotary) return std::nullopt;
  const Rotary& rotary = std::get<Rotary>(convention);
  return PlainRotary{rotary.ladders[0], rotary.pairing};
}

template <>
std::optional<Bias> short_form(const Convention& convention) {
  if (short_of(convention) != Short::bias) return std::nullopt;
  return Bias{std::get<Slopes>(convention).octaves};
}

}  // namespace posenc
