// SPDX-License-Identifier: Apache-2.0
// Phases, then waves, then columns.
#include "src/encodings/phase_rows.h"

#include <algorithm>
#include <limits>

#include "src/base/scratch.h"
#include "src/engine/tables/phase.h"
#include "src/engine/tables/phase_waves.h"

namespace posenc {
namespace {

using numerics::Dyadic;
using numerics::uint128;
using plan::Column;
using plan::Kind;

AngleList angles_of(const plan::RowPlan& plan) {
  AngleList list;
  for (const Column& c : plan.columns) {
    if (c.kind == Kind::wave) list.place_of({c.axis, c.frequency});
  }
  return list;
}

// A position as a whole number of less than 2^63 in size.
std::optional<std::int64_t> whole(const Dyadic& p) {
  if (p.zero()) return 0;
  const int zeros = std::countr_zero(p.mantissa), exponent = p.exponent + zeros;
  const std::uint64_t odd = p.mantissa >> zeros;
  if (exponent < 0 || exponent >= std::countl_zero(odd)) return std::nullopt;
  const auto size = static_cast<std::int64_t>(odd << exponent);
  return p.negative ? -size : size;
}

constexpr std::int64_t near = std::int64_t{1} << 31;  // below it one word serves

std::uint64_t rounded_to_word(uint128 fraction) {
  return static_cast<std::uint64_t>(fraction >> 64) + (static_cast<std::uint64_t>(fraction) >> 63);
}

}  // namespace

PhaseRows::PhaseRows(const plan::RowPlan& plan) : PhaseRows(plan, angles_of(plan)) {}

PhaseRows::PhaseRows(const plan::RowPlan& plan, AngleList list)
    : plan_(plan), angles_(plan.axes, plan.ladders, plan.phases), of_(list.all()), axes_(plan.axes.size()) {
  for (const Column& c : plan.columns) {
    angle_of_.push_back(c.kind == Kind::wave ? list.place_of({c.axis, c.frequency}) : 0);
  }
  scale_ = numerics::rounded<float>(plan.scale).value_or(std::numeric_limits<float>::quiet_NaN());
  quick_ = angles_.quick();
  for (std::size_t j = 0; quick_ && j < of_.size(); ++j) {
    const std::optional<uint128> start = angles_.start(of_[j]);
    quick_ = start.has_value();
    starts_.push_back(static_cast<std::uint64_t>(start.value_or(0) >> 64));
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const SignedTurn step = has_axis(of_[j], a) ? angles_.parts(a, of_[j].frequency).step : SignedTurn{};
      const std::optional<uint128> turns = fraction_of(step);
      quick_ &= turns.has_value();
      const std::uint64_t word = rounded_to_word(turns.value_or(0));
      axes_[a].words.push_back(step.p.negative ? 0 - word : word);
      axes_[a].wide.push_back(turns.value_or(0));
    }
  }
}

// |p| w of a position that is not near, modulo 2^64 of its units.
std::optional<std::uint64_t> PhaseRows::far_turns(std::size_t axis, std::size_t j, const Dyadic& p) const {
  const SignedTurn& step = angles_.parts(axis, of_[j].frequency).step;
  if (step.w.zero()) return 0;
  if (const std::optional<std::int64_t> number = whole(p)) {
    const std::uint64_t size =
        number < 0 ? 0 - static_cast<std::uint64_t>(*number) : static_cast<std::uint64_t>(*number);
    const uint128 wide = axes_[axis].wide[j];
    return engine::multiple_of_turns(size, 0, static_cast<std::uint64_t>(wide >> 64), static_cast<std::uint64_t>(wide));
  }
  return numerics::phase64(step.w, p);
}

bool PhaseRows::write_phases(Place place, std::uint64_t* phases) const {
  const auto certain = [&](std::size_t j) {  // of the angle itself
    const std::optional<SignedTurn> turns = turns_of(angles_.angle(of_[j], place));
    const std::optional<std::uint64_t> phase = turns ? numerics::phase64(turns->w, {1, 0, false}) : std::nullopt;
    phases[j] = turns && turns->p.negative ? 0 - phase.value_or(0) : phase.value_or(0);
    return phase.has_value() || (turns && turns->w.zero());
  };
  bool decided = true;
  if (!quick_) {
    for (std::size_t j = 0; j < of_.size(); ++j) decided &= certain(j);
    return decided;
  }
  std::ranges::copy(starts_, phases);
  std::vector<std::size_t> left;  // for the certain path
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const Dyadic& p = *place[a];
    const std::optional<std::int64_t> number = whole(p);
    if (number && *number > -near && *number < near) {
      for (std::size_t j = 0; j < of_.size(); ++j) phases[j] += static_cast<std::uint64_t>(*number) * axes_[a].words[j];
      continue;
    }
    for (std::size_t j = 0; j < of_.size(); ++j) {
      if (!has_axis(of_[j], a)) continue;
      const std::optional<std::uint64_t> turns = far_turns(a, j, p);
      if (!turns) left.push_back(j);
      const bool back = p.negative != angles_.parts(a, of_[j].frequency).step.p.negative;
      phases[j] += back ? 0 - turns.value_or(0) : turns.value_or(0);
    }
  }
  for (const std::size_t j : left) decided &= certain(j);
  return decided;
}

// A constant or a coordinate.
float PhaseRows::other(const Column& column, Place place) const {
  if (column.kind == Kind::coordinate) {
    const std::optional<numerics::Real> x = angles_.coordinate(column.axis, place);
    const std::optional<float> rounded = x ? numerics::rounded<float>(*x) : std::nullopt;
    return scale_ * rounded.value_or(std::numeric_limits<float>::quiet_NaN());
  }
  return column.quarter % 2 == 0 ? 0 : column.quarter == 1 ? scale_ : -scale_;
}

template <class T>
bool PhaseRows::write_row(Place place, T* out, std::int64_t step) const {
  if (!std::ranges::all_of(place, [](const auto& x) { return x.has_value(); })) {
    for (std::size_t c = 0; c < plan_.columns.size(); ++c) out[static_cast<std::int64_t>(c) * step] = T(0.0f);
    return true;
  }
  const std::size_t n = of_.size(), whole_blocks = (n + engine::block - 1) / engine::block * engine::block;
  LocalScratch<std::uint64_t> phase_scratch;
  LocalScratch<float> wave_scratch;
  std::uint64_t* const phases = phase_scratch.take(whole_blocks);
  float *const sine = wave_scratch.take(2 * whole_blocks), *const cosine = sine + whole_blocks;
  std::fill(phases + n, phases + whole_blocks, 0);
  const bool decided = write_phases(place, phases);
  engine::phase_waves(phases, n, sine, cosine);
  for (std::size_t c = 0; c < plan_.columns.size(); ++c, out += step) {
    const Column& column = plan_.columns[c];
    if (column.kind != Kind::wave) {
      *out = T(other(column, place));
      continue;
    }
    const float value = scale_ * (column.quarter % 2 == 0 ? sine : cosine)[angle_of_[c]];
    *out = T(column.quarter < 2 ? value : 0 - value);
  }
  return decided;
}

template bool PhaseRows::write_row(Place, float*, std::int64_t) const;
template bool PhaseRows::write_row(Place, double*, std::int64_t) const;
template bool PhaseRows::write_row(Place, half*, std::int64_t) const;
template bool PhaseRows::write_row(Place, bfloat16*, std::int64_t) const;

}  // namespace posenc
