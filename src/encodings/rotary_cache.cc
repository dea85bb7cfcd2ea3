// SPDX-License-Identifier: Apache-2.0
// Caches of rotations: the pairs of a rotation as the columns of rows.
#include <posenc/rotary_cache.h>

#include <algorithm>

#include "src/base/blocks.h"
#include "src/base/quote.h"
#include "src/encodings/rows.h"
#include "src/encodings/rules.h"
#include "src/encodings/turns.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

using plan::Column;
using plan::Kind;

// ---- forms --------------------------------------------------------------------------------------

// The columns of one tensor, from what stands there of one pair.
using Columns = std::vector<Column>;
Column pair_column(const plan::Pair& pair, Kind kind, std::uint8_t quarter) {
  return {kind, quarter, pair.angles[0].axis, pair.angles[0].frequency};
}

// [a | b] over all pairs.
Columns in_halves(const plan::PairPlan& plan, const Column& a, const Column& b) {
  Columns columns;
  for (const Column& half : {a, b}) {
    for (const plan::Pair& pair : plan.pairs) columns.push_back(pair_column(pair, half.kind, half.quarter));
  }
  return columns;
}

// [a_0 b_0 a_1 b_1 ..].
Columns in_turn(const plan::PairPlan& plan, const Column& a, const Column& b) {
  Columns columns;
  for (const plan::Pair& pair : plan.pairs) {
    for (const Column& each : {a, b}) columns.push_back(pair_column(pair, each.kind, each.quarter));
  }
  return columns;
}

constexpr Column a_sine = {Kind::wave, 0, 0, 0}, a_cosine = {Kind::wave, 1, 0, 0}, an_angle = {Kind::angle, 0, 0, 0};

// What a form is: the names of its tensors, and what each holds.
struct FormTensor {
  plan::Stored form;
  std::string_view name;
  Columns (*placed)(const plan::PairPlan&, const Column&, const Column&);
  Column first, second;
};
constexpr FormTensor form_tensors[] = {{plan::Stored::halves_twice, "cos", in_halves, a_cosine, a_cosine},
                                       {plan::Stored::halves_twice, "sin", in_halves, a_sine, a_sine},
                                       {plan::Stored::pairs_twice, "cos", in_turn, a_cosine, a_cosine},
                                       {plan::Stored::pairs_twice, "sin", in_turn, a_sine, a_sine},
                                       {plan::Stored::sine_cosine, "sin_cos", in_halves, a_sine, a_cosine},
                                       {plan::Stored::complex, "cos_sin", in_turn, a_cosine, a_sine},
                                       {plan::Stored::angles_twice, "angles", in_halves, an_angle, an_angle}};

plan::RowPlan row_plan(const plan::PairPlan& pairs, const FormTensor& tensor) {
  plan::RowPlan row;
  row.axes = pairs.axes;
  row.ladders = pairs.ladders;
  row.columns = tensor.placed(pairs, tensor.first, tensor.second);
  if (tensor.first.kind == Kind::wave) row.scale = pairs.magnitude;
  return row;
}

plan::PairPlan pairs_under(const Recipe& recipe, const Convention& convention, const Context& context) {
  return recipe.exact() ? lower_pairs(convention, context) : lower_step_pairs(convention, context);
}

// The rows of a tensor; under a recipe its waves are multiplied by RN(m).
SinusoidRows::Ready ready_tensor(const plan::PairPlan& pairs, const FormTensor& tensor, const Convention& convention,
                                 const Context& context, const Recipe& recipe) {
  const plan::RowPlan plan = row_plan(pairs, tensor);
  if (recipe.exact()) return SinusoidRows::Ready(plan);
  StepLadder ladder = std::move(lower_steps(convention, context, *recipe.steps)[0]);
  ladder.output = {StepScale::By::times, step_magnitude(pairs)};
  return {plan, recipe, std::move(ladder)};
}

bool one_angle_each(const plan::PairPlan& plan) {
  return std::all_of(plan.pairs.begin(), plan.pairs.end(),
                     [](const plan::Pair& pair) { return pair.angles[0] == pair.angles[1]; });
}

}  // namespace

// ---- checks -------------------------------------------------------------------------------------

std::optional<Problem> RotaryCache::check(const Convention& convention, std::int64_t head, const Recipe& recipe) {
  if (auto problem = check_made("rotary_cache", Use::rotations, convention, head, recipe)) return problem;
  const plan::PairPlan plan = pairs_under(recipe, convention, {.width = head});
  if (plan.stored == plan::Stored::none) {
    return Problem{"rotary_cache", "stored must be halves_twice, pairs_twice, sine_cosine, complex or angles_twice",
                   "none"};
  }
  if (!one_angle_each(plan)) return Problem{"rotary_cache", "a pair must turn by one angle", "angles by column"};
  if (recipe.exact() || plan.stored != plan::Stored::angles_twice) return std::nullopt;
  return Problem{"rotary_cache", "the recipe must be exact for angles", recipe.name};
}

struct RotaryCache::Ready {
  std::vector<std::string> tensors;
  std::vector<SinusoidRows> rows;  // of each

  const SinusoidRows* find(std::string_view tensor) const {
    const auto at = std::find(tensors.begin(), tensors.end(), tensor);
    return at == tensors.end() ? nullptr : &rows[static_cast<std::size_t>(at - tensors.begin())];
  }
};

std::optional<Problem> RotaryCache::check_write(std::string_view tensor, const Positions& positions,
                                                const View& out) const {
  if (ready_->find(tensor) == nullptr) {
    std::string names = ready_->tensors.front();
    if (ready_->tensors.size() > 1) names += " or " + ready_->tensors.back();
    return Problem{"rotary_cache", "tensor must be " + names, quote(tensor)};
  }
  if (auto problem = check_real("rotary_cache", out, 2, 3, "[L, r] or [B, L, r]")) return problem;
  if (auto problem = check_width("rotary_cache", width(), out)) return problem;
  if (auto problem = check_positions("rotary_cache", positions)) return problem;
  if (has_rows(positions, out)) return std::nullopt;
  return other_rows("rotary_cache", positions, out, "[B, L, r]");
}

// ---- the object ---------------------------------------------------------------------------------

RotaryCache::RotaryCache(const Convention& convention, std::int64_t head, const Recipe& recipe, Checked) {
  const DefaultEnvironment environment;
  const Context context = {.width = head};
  const plan::PairPlan pairs = pairs_under(recipe, convention, context);
  Ready ready;
  for (const FormTensor& tensor : form_tensors) {
    if (tensor.form != pairs.stored) continue;
    ready.tensors.emplace_back(tensor.name);
    ready.rows.push_back(SinusoidRows(
        std::make_shared<const SinusoidRows::Ready>(ready_tensor(pairs, tensor, convention, context, recipe))));
  }
  ready_ = std::make_shared<const Ready>(std::move(ready));
}

const std::vector<std::string>& RotaryCache::tensors() const { return ready_->tensors; }
std::int64_t RotaryCache::width() const { return ready_->rows.front().width(); }
std::vector<double> RotaryCache::frequencies() const { return ready_->rows.front().frequencies(); }

std::optional<Problem> RotaryCache::write_checked(std::string_view tensor, const Positions& positions, const View& out,
                                                  const Executor& executor) const {
  const bool decided = !ready_->find(tensor)->write_checked(positions, out, executor);
  return undecided_unless(decided, "rotary_cache");
}

}  // namespace posenc
