// SPDX-License-Identifier: Apache-2.0
// An entry of a row of waves: what stands in its column, and what the table of that place has there.
#include <posenc/rows.h>

#include "src/base/scratch.h"
#include "src/referee/explain/explained.h"
#include "src/referee/explain/real_text.h"

namespace posenc::referee {
namespace {

using numerics::Real;
using numerics::Wave;
using plan::Column;
using plan::Kind;

LaddersOf ladders_of_rows(const Convention& all, const LoweredFor& given, const plan::RowPlan& plan) {
  return {posenc::axes_of(all), plan.ladders, plan.axes, plan.phases, stated_ladders(all, given)};
}

Wave wave_of(const Column& column) { return column.quarter % 2 == 0 ? Wave::sine : Wave::cosine; }

std::string words_of(const LaddersOf& ladders, const Column& column) {
  constexpr std::string_view waves[] = {"the sine of ", "the cosine of ", "minus the sine of ", "minus the cosine of "};
  const plan::Angle angle = {column.axis, column.frequency};
  switch (column.kind) {
    case Kind::constant: return column.quarter % 2 == 0 ? "0, at every position" : "a constant, at every position";
    case Kind::coordinate: return "the coordinate of axis " + ladders.axes[column.axis];
    case Kind::angle: return "the angle of " + words_of(ladders, angle);
    case Kind::wave: break;
  }
  return std::string(waves[column.quarter % 4]) + words_of(ladders, angle);
}

std::string formula_of(const Column& column, const Real& scale) {
  constexpr std::string_view waves[] = {"sin(angle)", "cos(angle)", "-sin(angle)", "-cos(angle)"};
  const std::string by = scale == Real(1) ? "" : closed_factor(scale) + " ";
  switch (column.kind) {
    case Kind::constant: return by + (column.quarter % 2 == 0 ? "0" : column.quarter == 1 ? "1" : "-1");
    case Kind::coordinate: return by + "coordinate";
    case Kind::angle: return by + "angle";
    case Kind::wave: break;
  }
  return by + std::string(waves[column.quarter % 4]);
}

Number exact_of(const LaddersOf& ladders, const Column& column, const Real& scale, Place place) {
  const Number by(column.quarter >= 2 ? -scale : scale);
  const plan::Angle angle = {column.axis, column.frequency};
  switch (column.kind) {
    case Kind::constant: return column.quarter % 2 == 0 ? Number(Real()) : by;
    case Kind::coordinate: {
      const std::vector<plan::Ladder> one(ladders.axes.size(), plan::Ladder{std::vector<Real>{Real(1)}});
      LaddersOf plain = ladders;
      plain.lowered = one;
      plain.phases.clear();
      return Number(real_angle(plain, {column.axis, 0}, place) * scale);
    }
    case Kind::angle: return Number(real_angle(ladders, angle, place) * scale);
    case Kind::wave: break;
  }
  return by * wave(wave_of(column), real_angle(ladders, angle, place));
}

// What the table has in each type; none where an entry of the row was not settled.
std::vector<RoundedValue> rounded_of(const Convention& all, const EntryAsked& asked, const Options& options,
                                     const Number& exact) {
  const Rows rows(all, asked.dim, options);
  std::vector<RoundedValue> made;
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    with_real(type, [&]<class T>(T) {
      const Scratch<T> row(static_cast<std::size_t>(rows.width()));
      if (rows.write_checked(asked.at, view(row.data(), {1, rows.width()}), serial)) return;
      made.push_back(told(type, wide(row.data()[asked.column]), exact));
    });
  }
  return made;
}

// Negation is exact, and what is 0 at angle 0 is +0.
void turn_sign(std::vector<ExplainedStep>& steps) {
  const ExplainedStep& last = steps.back();
  steps.push_back(step_of("sign", "-it", last.type, -last.value));
  steps.back().relative = last.relative;
}

}  // namespace

std::optional<Problem> check_wave(const Convention& all, const EntryAsked& asked, const Options& options) {
  const std::vector<std::string> axes = posenc::axes_of(all);
  if (auto problem = Rows::check(all, asked.dim, options)) return problem;
  if (auto problem = check_place(axes, asked.at)) return problem;
  if (auto problem = check_column("column", asked.column, columns(all, asked.dim))) return problem;
  const plan::RowPlan plan = lower_rows(all, given_of(asked, options));
  const OnePlace place = place_of(axes, asked.at);
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    const numerics::Rational x = plan.axes[a].step * numerics::Rational(*place.coordinates[a]) + plan.axes[a].start;
    if (plan.axes[a].of == plan::Axis::Of::logarithm && (x.zero() || x.negative)) {
      return Problem{"explain", "the coordinate of axis " + axes[a] + " must be above 0: its logarithm is taken",
                     closed_form(x)};
    }
  }
  return std::nullopt;
}

Explanation explain_wave(const Convention& all, const EntryAsked& asked, const Options& options) {
  const LoweredFor given = given_of(asked, options);
  const plan::RowPlan plan = lower_rows(all, given);
  const LaddersOf ladders = ladders_of_rows(all, given, plan);
  const OnePlace place = place_of(ladders.axes, asked.at);
  const Column column = plan.columns[static_cast<std::size_t>(asked.column)];
  const Number exact = exact_of(ladders, column, plan.scale, place.coordinates);

  ExplainedEntry entry;
  entry.what = words_of(ladders, column);
  entry.formula = formula_of(column, plan.scale);
  const plan::Angle angle = {column.axis, column.frequency};
  if (column.kind == Kind::wave || column.kind == Kind::angle) {
    entry.angle = told_angle(ladders, angle, place.coordinates);
  }
  entry.exact = decimal(exact);
  entry.rounded = rounded_of(all, asked, {.context = options.context}, exact);
  if (!options.recipe.exact()) entry.recipe = rounded_of(all, asked, options, exact);
  if (options.recipe.steps) {
    const std::vector<StepLadder> made = lower_steps(all, given, *options.recipe.steps);
    const StepsOf of = {*options.recipe.steps, ladders, made};
    if (column.kind == Kind::coordinate) entry.steps = coordinate_steps(of, column.axis, place.coordinates);
    if (column.kind == Kind::constant) entry.steps = constant_steps(of, column.quarter);
    if (column.kind == Kind::wave) {
      entry.steps = wave_steps(of, angle, wave_of(column), place.coordinates);
      if (column.quarter >= 2) turn_sign(entry.steps);
    }
  }
  const std::string title =
      "column " + std::to_string(asked.column) + " of " + std::to_string(plan.columns.size()) + " at " + place.words;
  return {title, options.recipe.name, {std::move(entry)}, std::nullopt};
}

}  // namespace posenc::referee
