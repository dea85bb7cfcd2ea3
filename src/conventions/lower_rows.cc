// SPDX-License-Identifier: Apache-2.0
// What the fields of Waves mean: columns, phases, scale.
#include <posenc/convention.h>

#include <algorithm>
#include <cmath>

#include "src/conventions/lower.h"
#include "src/conventions/problem.h"
#include "src/conventions/runs.h"

namespace posenc {
namespace {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;
using plan::Angle;
using plan::Column;
using plan::Kind;

// ---- widths --------------------------------------------------------------------------------------

std::int64_t lead_columns(const Waves& waves) { return waves.lead == Lead::nothing ? 0 : std::ssize(waves.axes); }

// One axis has its pairs to itself, and its own rule of odd widths.
bool one_axis(const Waves& waves) { return waves.axes.size() == 1 && waves.rungs != Rungs::dealt; }

RunSpan run_span(const Waves& waves, const LoweredFor& given) {
  return {given.width - lead_columns(waves), given.context.length, waves.rest};
}

// Columns that count their own frequencies: column c has number c.
bool by_column(const Ladder& ladder) {
  const auto* geometric = std::get_if<Geometric>(&ladder);
  return geometric != nullptr && geometric->spacing.over == Spacing::Over::columns;
}

// What the ladder of one axis spans.
Span span_of_one(const Waves& waves, const LoweredFor& given) {
  const std::int64_t d = given.width - lead_columns(waves);
  if (by_column(waves.ladders[0])) return {d, d, given.context.length};
  return {d, waves.odd_width == OddWidth::lone_sine ? (d + 1) / 2 : d / 2, given.context.length};
}

// ---- columns -------------------------------------------------------------------------------------

constexpr Column constant_column = {Kind::constant, 0, plan::no_axis, 0};

Column wave(const Angle& pair, std::uint8_t quarter) { return {Kind::wave, quarter, pair.axis, pair.frequency}; }

// The waves of pairs whose blocks span all of them.
void add_block(std::span<const Angle> pairs, Layout layout, std::vector<Column>& columns) {
  if (layout == Layout::interleaved) {
    for (const Angle& pair : pairs) columns.insert(columns.end(), {wave(pair, 0), wave(pair, 1)});
    return;
  }
  const std::uint8_t first = layout == Layout::cosine_first ? 1 : 0;
  for (const std::uint8_t quarter : {first, static_cast<std::uint8_t>(1 - first)}) {
    for (const Angle& pair : pairs) columns.push_back(wave(pair, quarter));
  }
}

// Pairs from `begin` on that are of different axes: one frequency of each.
std::size_t period(std::span<const Angle> pairs, std::size_t begin) {
  const auto same = [&](std::size_t end) {
    const auto stands = [&](const Angle& pair) { return pair.axis == pairs[end].axis; };
    return std::any_of(pairs.begin() + static_cast<std::ptrdiff_t>(begin),
                       pairs.begin() + static_cast<std::ptrdiff_t>(end), stands);
  };
  std::size_t end = begin + 1;
  while (end < pairs.size() && !same(end)) ++end;
  return end - begin;
}

void add_waves(const Waves& waves, std::span<const Angle> pairs, std::vector<Column>& columns) {
  const std::size_t axes = waves.axes.size();
  const bool one_run = waves.rungs == Rungs::summed && waves.scope == Scope::run;
  if (waves.layout == Layout::interleaved || waves.scope == Scope::row || one_run) {
    add_block(pairs, waves.layout, columns);
  } else if (waves.scope == Scope::period) {
    for (std::size_t k = 0, count = 0; k < pairs.size(); k += count) {
      count = period(pairs, k);
      add_block(pairs.subspan(k, count), waves.layout, columns);
    }
  } else {
    for (std::size_t axis = 0; axis <= axes; ++axis) {  // pairs of no axis last
      std::vector<Angle> run;
      for (const Angle& pair : pairs) {
        if (axis < axes ? pair.axis == axis : pair.axis == plan::no_axis) run.push_back(pair);
      }
      add_block(run, waves.layout, columns);
    }
  }
}

void add_one_axis(const Waves& waves, const LoweredFor& given, std::vector<Column>& columns) {
  const std::int64_t d = given.width - lead_columns(waves);
  if (by_column(waves.ladders[0])) {
    for (std::uint32_t c = 0; c < d; ++c) columns.push_back(wave({0, c}, c % 2));
    return;
  }
  add_waves(waves, pairs_of(0, span_of_one(waves, given).count), columns);
  if (d % 2 == 0) return;
  std::erase(columns, wave({0, static_cast<std::uint32_t>(d / 2)}, 1));  // a lone sine has no cosine
  if (waves.odd_width == OddWidth::zero_column) columns.push_back(constant_column);
  if (waves.odd_width == OddWidth::repeated_cosine) columns.push_back(wave({0, 0}, 1));
}

void add_runs(const Waves& waves, const LoweredFor& given, std::vector<Column>& columns) {
  add_waves(waves, pairs_in_order(run_fields(waves), run_span(waves, given)), columns);
  const auto width = static_cast<std::size_t>(given.width);
  if (waves.rest == (columns.size() < width ? RestColumns::zero_columns : RestColumns::truncated)) {
    columns.resize(width, constant_column);
  }
}

std::vector<Column> columns_of(const Waves& waves, const LoweredFor& given) {
  std::vector<Column> columns;
  columns.reserve(static_cast<std::size_t>(given.width));
  for (std::size_t a = 0; a < static_cast<std::size_t>(lead_columns(waves)); ++a) {
    const Column coordinate = {Kind::coordinate, 0, static_cast<std::uint16_t>(a), 0};
    columns.push_back(waves.lead == Lead::coordinates ? coordinate : constant_column);
  }
  if (one_axis(waves)) {
    add_one_axis(waves, given, columns);
  } else {
    add_runs(waves, given, columns);
  }
  if (waves.parts != WaveParts::both) {
    const std::uint8_t left_out = waves.parts == WaveParts::sine ? 1 : 0;
    std::erase_if(columns, [&](const Column& c) { return c.kind == Kind::wave && c.quarter == left_out; });
  }
  for (Column& c : columns) {  // under no axis the angle is 0
    if (c.axis == plan::no_axis) c.kind = Kind::constant;
  }
  return columns;
}

// ---- scale, phases -------------------------------------------------------------------------------

Real scale_of(const Waves& waves, const LoweredFor& given) {
  if (const auto* number = std::get_if<double>(&waves.scale)) return *number;
  if (std::holds_alternative<LearnedScale>(waves.scale)) return *given.context.learned;
  const auto rule = std::get<WidthScale>(waves.scale);
  return numerics::power(Rational(given.width), fraction(-1, 2)) *
         (rule == WidthScale::sqrt_2_over_d ? numerics::power(Rational(2), fraction(1, 2)) : Real(1));
}

std::vector<Real> phases_of(const Waves& waves) {
  std::vector<Real> phases;
  const auto* listed = std::get_if<std::vector<double>>(&waves.phases);
  if (listed == nullptr) return phases;
  const Real unit = std::visit([](const auto& ladder) { return radians(ladder.unit); }, waves.ladders[0]);
  for (const double phase : *listed) phases.push_back(Real(phase) * unit);
  return phases;
}

// ---- rules ---------------------------------------------------------------------------------------

std::optional<Problem> check_phases(const Waves& waves, const LoweredFor& given) {
  const auto* listed = std::get_if<std::vector<double>>(&waves.phases);
  if (listed == nullptr) return std::nullopt;
  if (!one_axis(waves) && waves.rungs != Rungs::summed) {
    return broken("phases must be none where each axis has its own pairs", "listed");
  }
  const std::int64_t count = one_axis(waves) ? span_of_one(waves, given).count : run_span(waves, given).width / 2;
  if (std::ssize(*listed) == count) return std::nullopt;
  return broken("phases must list " + std::to_string(count) + " numbers for width " + std::to_string(given.width),
                std::to_string(listed->size()));
}

std::optional<Problem> check_one_axis(const Waves& waves, const LoweredFor& given) {
  const std::int64_t d = given.width - lead_columns(waves);
  const bool lone_sine = waves.odd_width == OddWidth::lone_sine;
  if (d % 2 != 0 && waves.odd_width == OddWidth::refused) {
    return broken("width must be even", std::to_string(given.width));
  }
  if (d % 2 != 0 && !lone_sine && by_column(waves.ladders[0])) {
    return broken("odd_width must be lone_sine where the ladder counts columns", std::to_string(d));
  }
  if (auto problem = check_only_run(run_fields(waves), d, lone_sine ? (d + 1) / 2 : d / 2)) return problem;
  if (d % 2 != 0 && waves.odd_width == OddWidth::zero_row) {
    return broken("odd_width zero_row adds a row that no position has: width must be even", std::to_string(d));
  }
  if (d == 1 && waves.odd_width == OddWidth::short_row) {
    return broken("width must give at least one column", std::to_string(given.width));
  }
  if (d == 1 && waves.odd_width == OddWidth::repeated_cosine) {
    return broken("width must give 1 frequency or more: the last column repeats a cosine", std::to_string(d));
  }
  if (by_column(waves.ladders[0]) && waves.layout != Layout::interleaved) {
    return broken("layout must be interleaved where the ladder counts columns", std::string(to_string(waves.layout)));
  }
  return check_span(waves.ladders[0], span_of_one(waves, given), "width");
}

std::optional<Problem> check_several_axes(const Waves& waves, const LoweredFor& given) {
  const RunFields fields = run_fields(waves);
  if (auto problem = check_runs(fields, run_span(waves, given))) return problem;
  for (const Ladder& ladder : waves.ladders) {
    if (by_column(ladder)) return broken("spacing must count pairs where there are several axes", "columns");
  }
  std::vector<Column> columns;
  columns.resize(static_cast<std::size_t>(lead_columns(waves)));
  add_runs(waves, given, columns);
  if (columns.size() == static_cast<std::size_t>(given.width)) return std::nullopt;
  const std::string rest = columns.size() < static_cast<std::size_t>(given.width) ? "zero_columns" : "truncated";
  return broken("runs must fill the width, or rest must be " + rest + ": width " + std::to_string(given.width),
                std::to_string(columns.size()) + " columns");
}

}  // namespace

std::optional<Problem> lowering::check(const Waves& waves, const LoweredFor& given) {
  if (auto problem = check_count("width", given.width)) return problem;
  if (given.width <= lead_columns(waves)) {
    return broken("width must have room for waves", std::to_string(given.width));
  }
  if (auto problem = one_axis(waves) ? check_one_axis(waves, given) : check_several_axes(waves, given)) {
    return problem;
  }
  if (auto problem = check_phases(waves, given)) return problem;
  if (waves.normalise != Normalise::none) {
    return broken("normalise must be none: a mean over the whole table is not made", "tenth_of_deviation");
  }
  if (waves.parts != WaveParts::both && columns_of(waves, given).empty()) {
    return broken("width must give at least one column", std::to_string(given.width));
  }
  if (std::holds_alternative<LearnedScale>(waves.scale) && !given.context.learned) {
    return broken("learned must be stated: the scale is a factor of the caller's", "none");
  }
  return std::nullopt;
}

plan::RowPlan lower_rows(const Convention& convention, const LoweredFor& given) {
  const Waves& waves = std::get<Waves>(convention);
  plan::RowPlan rows;
  rows.axes.resize(waves.axes.size());
  rows.ladders = lower_ladders(run_fields(waves), lowering::spans(waves, given), angle_factor(waves));
  rows.phases = phases_of(waves);
  rows.columns = columns_of(waves, given);
  rows.scale = scale_of(waves, given);
  rows.absent = waves.absent == Absent::zero_row ? plan::Absent::zeros : plan::Absent::refused;
  return rows;
}

std::int64_t columns(const Convention& convention, std::int64_t dim) {
  const auto* waves = std::get_if<Waves>(&convention);
  if (waves == nullptr) return dim;
  if (waves->parts != WaveParts::both) return std::ssize(columns_of(*waves, {.width = dim}));
  const bool loses_one = waves->odd_width == OddWidth::short_row || waves->odd_width == OddWidth::zero_row;
  return loses_one ? dim - (dim - lead_columns(*waves)) % 2 : dim;
}

std::vector<std::string> cell_axes(const Convention& convention) {
  std::vector<std::string> axes = axes_of(convention);
  std::ranges::stable_sort(axes, {}, [](const std::string& axis) { return axis == "x" ? 2 : axis == "y" ? 1 : 0; });
  return axes;
}

std::vector<std::size_t> cell_indices(const Convention& convention) {
  const std::vector<std::string> indices = cell_axes(convention);
  std::vector<std::size_t> of_axes;
  for (const std::string& axis : std::get<Waves>(convention).axes) {
    of_axes.push_back(static_cast<std::size_t>(std::ranges::find(indices, axis) - indices.begin()));
  }
  return of_axes;
}

std::vector<Span> lowering::spans(const Waves& waves, const LoweredFor& given) {
  if (one_axis(waves)) return {span_of_one(waves, given)};
  return axis_spans(run_fields(waves), run_span(waves, given));
}

// Numbers are formed in f64, as Python does.
StepScale lowering::step_scale(const Waves& waves, const LoweredFor& given, const Steps& steps) {
  const auto width = static_cast<double>(given.width);
  const auto made = [&](StepScale::By by, double number) { return StepScale{by, rounded(steps.sine, number)}; };
  if (const auto* number = std::get_if<double>(&waves.scale)) return made(StepScale::By::times, *number);
  if (std::holds_alternative<LearnedScale>(waves.scale)) return made(StepScale::By::times, *given.context.learned);
  if (std::get<WidthScale>(waves.scale) == WidthScale::one_over_sqrt_d) {
    return made(StepScale::By::over, std::sqrt(width));
  }
  return made(StepScale::By::times, std::sqrt(2 / width));
}

}  // namespace posenc
