// SPDX-License-Identifier: Apache-2.0
// Lowering: from the fields of a convention to which real number stands in each column. The only place that knows what
// fields mean; no kernel, no position.
#pragma once

#include <posenc/convention.h>
#include <posenc/recipe.h>

#include "src/conventions/arithmetic.h"
#include "src/plan/head_plan.h"
#include "src/plan/pair_plan.h"

namespace posenc {

/// What a convention may depend on besides itself. 0 and nothing: not stated.
struct Context {
  std::int64_t width = 0;              ///< columns of a row, or of a head
  std::int64_t heads = 0;              ///< slopes
  std::int64_t length = 0;             ///< tokens of the sequence: dynamic NTK, LongRoPE
  std::optional<double> centre = {};   ///< of a decay, in positions
  std::optional<double> learned = {};  ///< a learned output scale
};

/// The convention has a plan in this context: it keeps its own rules (check_convention), admits the width, and all that
/// it depends on is stated.
[[nodiscard]] std::optional<Problem> check_lower(const Convention& convention, const Context& context);

/// For callers that have called check_use and check_lower: of waves, of a rotary, of slopes.
plan::RowPlan lower_rows(const Convention& waves, const Context& context);
plan::PairPlan lower_pairs(const Convention& rotary, const Context& context);
/// The same pairs for a recipe, which makes its own ladder: those of the plan are unscaled, as real numbers that nobody
/// reads take up to 0.1 s.
plan::PairPlan lower_step_pairs(const Convention& rotary, const Context& context);
plan::HeadPlan lower_heads(const Convention& slopes, const Context& context);

/// Of a convention for Use::cells: which of the indices of a cell is the coordinate of each axis.
std::vector<std::size_t> cell_indices(const Convention& waves);

/// The recipe's arithmetic is said for these ladders: geometric ones that fall, in radians, scaled where its steps say
/// how, and lists in radians; no phases.
[[nodiscard]] std::optional<Problem> check_steps(const Convention& convention, const Recipe& recipe);
/// The ladder of each axis with a recipe's roundings: it works on the description, not on the plan. For callers that
/// have called the checks.
std::vector<StepLadder> lower_steps(const Convention& convention, const Context& context, const Steps& steps);

/// What each family answers, once the convention keeps its own rules.
namespace lowering {
std::optional<Problem> check(const Waves& waves, const Context& context);
std::optional<Problem> check(const Rotary& rotary, const Context& context);
std::optional<Problem> check(const Slopes& slopes, const Context& context);
std::optional<Problem> check_steps(const Waves& waves, const Recipe& recipe);
StepScale step_scale(const Waves& waves, const Context& context, const Steps& steps);
/// What the ladder of each axis spans.
std::vector<Span> spans(const Waves& waves, const Context& context);
std::vector<Span> spans(const Rotary& rotary, const Context& context);

/// Widths and numbers of heads are 1 to 2^30: ladders and slopes are kept in memory.
std::optional<Problem> check_count(std::string_view name, std::int64_t count);
}  // namespace lowering

}  // namespace posenc
