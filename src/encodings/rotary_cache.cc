// SPDX-License-Identifier: Apache-2.0
// Caches of rotations: the pairs of a rotation as the columns of rows.
#include <posenc/rotary_cache.h>

#include <algorithm>

#include "src/base/blocks.h"
#include "src/base/quote.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/rules.h"
#include "src/encodings/turns.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

using plan::Column;
using plan::Kind;

// ---- forms --------------------------------------------------------------------------------------

// The columns of one tensor, from what stands there of one pair.
using ColumnList = std::vector<Column>;
Column pair_column(const plan::Pair& pair, Kind kind, std::uint8_t quarter) {
  const auto [axis, frequency] = pair.angles[0];
  if (axis != plan::no_axis) return {kind, quarter, axis, frequency};
  return {Kind::constant, kind == Kind::angle ? std::uint8_t{0} : quarter, 0, 0};  // the pair stands
}

// [a | b] over all pairs.
ColumnList in_halves(const plan::PairPlan& plan, const Column& a, const Column& b) {
  ColumnList columns;
  for (const Column& half : {a, b}) {
    for (const plan::Pair& pair : plan.pairs) columns.push_back(pair_column(pair, half.kind, half.quarter));
  }
  return columns;
}

// [a_0 b_0 a_1 b_1 ..].
ColumnList in_turn(const plan::PairPlan& plan, const Column& a, const Column& b) {
  ColumnList columns;
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
  ColumnList (*placed)(const plan::PairPlan&, const Column&, const Column&);
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

}  // namespace

// ---- checks -------------------------------------------------------------------------------------

std::optional<Problem> RotaryCache::check(const Convention& convention, std::int64_t head, const Options& options) {
  Options centred = options;
  if (!centred.context.centre) centred.context.centre = 0;  // asked for by decays alone, which no cache has
  if (auto problem = check_made("rotary_cache", ConventionUse::rotations, convention, head, centred)) return problem;
  const LoweredFor given = {.width = head, .context = centred.context};
  const Recipe& recipe = options.recipe;
  const plan::PairPlan plan = lower_step_pairs(convention, given);
  if (plan.stored == plan::Stored::none) {
    return Problem{"rotary_cache", "stored must be halves_twice, pairs_twice, sine_cosine, complex or angles_twice",
                   "none"};
  }
  if (plan.decay) return Problem{"rotary_cache", "the convention must have no decay: queries and keys differ", "xpos"};
  if (!plan::turns_by_one_angle(plan))
    return Problem{"rotary_cache", "a pair must turn by one angle", "angles by column"};
  if (recipe.exact()) return std::nullopt;
  if (plan.stored == plan::Stored::angles_twice) {
    return Problem{"rotary_cache", "the recipe must be exact for angles", recipe.name};
  }
  return check_step_pairs("rotary_cache", convention, given, recipe);
}

std::optional<Problem> RotaryCache::check_head(const Convention& convention, std::int64_t head) {
  if (auto problem = check_use("rotary_cache", ConventionUse::rotations, convention)) return problem;
  return posenc::check_width(convention, head);
}

// The pairs that turn depend on no length and no centre; lowering a decay reads a centre.
std::int64_t RotaryCache::width_checked(const Convention& convention, std::int64_t head) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = head, .context = {.length = 1, .centre = 0}};
  return *turned_columns(convention, given);
}

struct RotaryCache::Ready {
  std::vector<std::string> tensors, axes;
  std::vector<CellRows> rows;  // of each tensor
  plan::PairPlan pairs;
  Recipe recipe;
  std::vector<StepLadder> ladders;  // of a recipe

  const CellRows* find(std::string_view tensor) const {
    const auto at = std::find(tensors.begin(), tensors.end(), tensor);
    return at == tensors.end() ? nullptr : &rows[static_cast<std::size_t>(at - tensors.begin())];
  }
};

std::optional<Problem> RotaryCache::check_write(std::string_view tensor, std::span<const Positions> coordinates,
                                                const View& out) const {
  if (ready_->find(tensor) == nullptr) {
    std::string names = ready_->tensors.front();
    if (ready_->tensors.size() > 1) names += " or " + ready_->tensors.back();
    return Problem{"rotary_cache", "tensor must be " + names, quote(tensor)};
  }
  if (auto problem = check_real("rotary_cache", out, 2, 3, "[L, r] or [B, L, r]")) return problem;
  if (auto problem = check_width("rotary_cache", width(), out)) return problem;
  if (auto problem = check_coordinates("rotary_cache", ready_->axes, coordinates)) return problem;
  if (has_rows(widest(coordinates), out)) return check_lists("rotary_cache", coordinates, out);
  return other_rows("rotary_cache", widest(coordinates), out, "[B, L, r]");
}

// ---- the object ---------------------------------------------------------------------------------

RotaryCache::RotaryCache(const Convention& convention, std::int64_t head, const Options& options, Checked) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = head, .context = options.context};
  const Recipe& recipe = options.recipe;
  const plan::PairPlan pairs = pairs_under(recipe, convention, given);
  const std::vector<StepLadder> ladders = ladders_under(recipe, pairs, convention, given);
  Ready ready = {{}, axes_of(convention), {}, pairs, recipe, ladders};
  for (const FormTensor& tensor : form_tensors) {
    if (tensor.form != pairs.stored) continue;
    ready.tensors.emplace_back(tensor.name);
    ready.rows.emplace_back(row_plan(pairs, tensor), recipe, ladders);
  }
  ready_ = detail::Shared(std::move(ready));
}

const std::vector<std::string>& RotaryCache::tensors() const { return ready_->tensors; }
const std::vector<std::string>& RotaryCache::axes() const { return ready_->axes; }
std::int64_t RotaryCache::width() const { return ready_->rows.front().width; }

std::vector<double> RotaryCache::frequencies(const Executor& executor) const {
  const DefaultEnvironment environment;
  const plan::PairPlan& pairs = ready_->pairs;
  std::vector<std::vector<double>> steps;
  for (const StepLadder& ladder : ready_->ladders) steps.push_back(posenc::frequencies(ladder, *ready_->recipe.steps));
  std::vector<double> all(pairs.pairs.size());
  for_blocks(executor, std::ssize(all), frequencies_of_a_block, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const auto [axis, k] = pairs.pairs[i].angles[0];
      const std::size_t of = axis == plan::every_axis ? 0 : axis;
      if (axis != plan::no_axis) all[i] = ready_->recipe.steps ? steps[of][k] : nearest_frequency(pairs.ladders[of][k]);
    }
  });
  return all;
}

std::optional<Problem> RotaryCache::write_checked(std::string_view tensor, std::span<const Positions> coordinates,
                                                  const View& out, const Executor& executor) const {
  return undecided_unless(write_all_places(*ready_->find(tensor), coordinates, out, executor), "rotary_cache");
}

}  // namespace posenc
