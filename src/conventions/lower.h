// SPDX-License-Identifier: Apache-2.0
// Lowering: from the fields of a convention to which real number stands in each column. The only place that knows what
// fields mean; no kernel, no position.
#pragma once

#include <posenc/context.h>
#include <posenc/recipe.h>

#include "src/conventions/arithmetic.h"
#include "src/plan/class_plan.h"
#include "src/plan/coordinate_plan.h"
#include "src/plan/factor_plan.h"
#include "src/plan/head_plan.h"
#include "src/plan/index_plan.h"
#include "src/plan/pair_plan.h"
#include "src/plan/tap_plan.h"

namespace posenc {

/// What a convention is lowered for. 0: not stated.
struct LoweredFor {
  std::int64_t width = 0;  ///< columns of a row, or of a head
  std::int64_t heads = 0;  ///< slopes
  Context context = {};
};

/// The convention has a plan for what is given: it keeps its own rules (check_convention), admits the width, and all
/// that it depends on is stated.
[[nodiscard]] std::optional<Problem> check_lower(const Convention& convention, const LoweredFor& given);

/// For callers that have called check_use and check_lower: of waves, of a rotary, of slopes.
plan::RowPlan lower_rows(const Convention& waves, const LoweredFor& given);
plan::PairPlan lower_pairs(const Convention& rotary, const LoweredFor& given);
/// The same pairs for a recipe, which makes its own ladder, and for checks that read none: those of the plan are
/// unscaled, as real numbers that nobody reads take up to 0.1 s.
plan::PairPlan lower_step_pairs(const Convention& rotary, const LoweredFor& given);
/// Returns the number of columns of a head that turn, twice that of pairs, or nothing if check_lower refuses the head.
/// Makes no ladder. For callers that have called check_use and check_convention.
std::optional<std::int64_t> turned_columns(const Convention& rotary, const LoweredFor& given);
plan::HeadPlan lower_heads(const Convention& slopes, const LoweredFor& given);

/// The same of buckets of distances, of a window, of log coordinates, of a query scale and of stored rows. `furthest`
/// is the greatest distance that is asked for; height and width are those of the window.
plan::ClassPlan lower_classes(const Convention& buckets, std::int64_t furthest);
std::int64_t extra_classes(const Convention& buckets);
plan::CoordinatePlan lower_coordinates(const Convention& coordinates, std::int64_t height, std::int64_t width);
plan::FactorPlan lower_factor(const Convention& scale);
plan::IndexPlan lower_index(const Convention& learned);
/// Of one axis of a table, from so many cells to so many; and the rows beside those of cells.
plan::TapPlan lower_taps(const Convention& resized, std::int64_t from, std::int64_t to);
plan::KeptRows lower_kept_rows(const Convention& resized);

/// Of a convention for ConventionUse::cells: which of the indices of a cell is the coordinate of each axis.
std::vector<std::size_t> cell_indices(const Convention& waves);

/// The recipe's arithmetic is said for these ladders (check_step_ladder).
[[nodiscard]] std::optional<Problem> check_steps(const Convention& convention, const Recipe& recipe);
/// The ladder of each axis with a recipe's roundings: it works on the description, not on the plan. For callers that
/// have called the checks.
std::vector<StepLadder> lower_steps(const Convention& convention, const LoweredFor& given, const Steps& steps);

/// What each family that depends on what is given answers, once the convention keeps its own rules.
namespace lowering {
std::optional<Problem> check(const Waves& waves, const LoweredFor& given);
std::optional<Problem> check(const Rotary& rotary, const LoweredFor& given);
std::optional<Problem> check(const Slopes& slopes, const LoweredFor& given);
std::optional<StepDecay> step_decay(const Rotary& rotary, const LoweredFor& given);
StepScale step_scale(const Waves& waves, const LoweredFor& given, const Steps& steps);
/// What the ladder of each axis spans.
std::vector<Span> spans(const Waves& waves, const LoweredFor& given);
std::vector<Span> spans(const Rotary& rotary, const LoweredFor& given);

/// Widths and numbers of heads are 1 to 2^30: ladders and slopes are kept in memory.
std::optional<Problem> check_count(std::string_view name, std::int64_t count);
}  // namespace lowering

}  // namespace posenc
