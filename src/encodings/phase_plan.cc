// SPDX-License-Identifier: Apache-2.0
// The words of a row plan, and whose columns they are.
#include <posenc/phase_plan.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>

#include "src/base/environment.h"
#include "src/encodings/phase_rows.h"
#include "src/encodings/rotation.h"

namespace posenc::detail {
namespace {

Options under_phase(const Context& context) { return {.recipe = phase(), .context = context}; }

std::optional<Problem> write(std::string_view operation, const Convention& convention, const plan::RowPlan& plan,
                             PhasePlan& made) {
  const PhaseRows rows(plan);
  if (!rows.by_words()) {
    return Problem{std::string(operation), "angles must have less than 2^64 turns a position", "one that has more"};
  }
  made.axes = axes_of(convention);
  made.scale = rows.scale();
  for (std::size_t j = 0; j < rows.angles(); ++j) {
    PhasePlan::Angle& angle = made.angles.emplace_back();
    for (std::size_t a = 0; a < plan.axes.size(); ++a) angle.words.push_back(rows.word(a, j));
    angle.start = rows.start(j);
  }
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    const plan::Column& column = plan.columns[c];
    switch (column.kind) {
      case plan::Kind::constant: made.columns.push_back({PhasePlan::Kind::constant, column.quarter, 0}); break;
      case plan::Kind::coordinate:
        if (plan.axes[column.axis] != plan::Axis{}) {
          return Problem{std::string(operation), "coordinates in columns must be positions", "others"};
        }
        made.columns.push_back({PhasePlan::Kind::coordinate, 0, column.axis});
        break;
      default: made.columns.push_back({PhasePlan::Kind::wave, column.quarter, rows.angle_of(c)});
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> write_phase_plan_of_rows(const Convention& convention, std::int64_t dim, const Context& context,
                                                PhasePlan& plan) {
  if (auto problem = Rows::check(convention, dim, under_phase(context))) return problem;
  const DefaultEnvironment environment;
  return write("rows", convention, lower_rows(convention, {.width = dim, .context = context}), plan);
}

std::optional<Problem> write_phase_plan_of_rotation(const Convention& convention, std::int64_t head,
                                                    const Context& context, PhasePlan& plan) {
  if (auto problem = RotaryRows::check(convention, head, under_phase(context))) return problem;
  const DefaultEnvironment environment;
  const plan::RowPlan rows = coefficient_rows(lower_pairs(convention, {.width = head, .context = context}));
  return write("rotary", convention, rows, plan);
}

}  // namespace posenc::detail
