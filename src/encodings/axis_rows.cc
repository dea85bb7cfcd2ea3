// SPDX-License-Identifier: Apache-2.0
// Rows from the engine, from a recipe or entry by entry, placed as the plan says.
#include "src/encodings/axis_rows.h"

#include <algorithm>
#include <limits>

#include "src/base/blocks.h"
#include "src/base/scratch.h"
#include "src/encodings/recipe_waves.h"
#include "src/encodings/undecided.h"
#include "src/engine/tables/f64_kernel.h"
#include "src/engine/tables/sincos.h"
#include "src/numerics/evaluate.h"

namespace posenc {
namespace {

using plan::Column;
using plan::Kind;

// ---- plans ---------------------------------------------------------------------------------------

// Tells whether the kernels compute every column: sines and cosines of plain positions on one axis, with one scale.
bool kernels_serve(const plan::RowPlan& plan) {
  return plan.axes.size() == 1 && plan.axes[0] == plan::Axis{} && plan.phases.empty() &&
         std::all_of(plan.columns.begin(), plan.columns.end(),
                     [](const Column& c) { return c.kind == Kind::constant || (c.kind == Kind::wave && c.axis == 0); });
}

// The number of columns before the first constant; nothing if a later constant is not 0.
std::optional<std::size_t> leading_waves(const plan::RowPlan& plan) {
  const auto is_zero = [](const Column& c) { return c.kind == Kind::constant && c.quarter % 2 == 0; };
  const auto first =
      std::find_if(plan.columns.begin(), plan.columns.end(), [](const Column& c) { return c.kind == Kind::constant; });
  if (!std::all_of(first, plan.columns.end(), is_zero)) return std::nullopt;
  return static_cast<std::size_t>(first - plan.columns.begin());
}

// Sines of frequencies 0, 1, .. and as many or fewer cosines, each evenly spaced from its first column on.
struct Pattern {
  std::uint32_t sine_at, cosine_at, step, sines, cosines;
};
bool has_pattern(std::span<const Column> waves, const Pattern& at) {
  const auto stands = [&](std::size_t column, std::size_t k, std::uint8_t quarter) {
    return column < waves.size() && waves[column] == Column{Kind::wave, quarter, 0, static_cast<std::uint32_t>(k)};
  };
  for (std::size_t k = 0; k < at.sines; ++k) {
    if (!stands(at.sine_at + k * at.step, k, 0)) return false;
  }
  for (std::size_t k = 0; k < at.cosines; ++k) {
    if (!stands(at.cosine_at + k * at.step, k, 1)) return false;
  }
  return true;
}
std::optional<Pattern> pattern_of(std::span<const Column> waves) {
  const auto cosines = static_cast<std::uint32_t>(
      std::count_if(waves.begin(), waves.end(), [](const Column& c) { return c.quarter == 1; }));
  const auto sines = static_cast<std::uint32_t>(waves.size()) - cosines;
  if (cosines > sines) return std::nullopt;
  for (const Pattern& pattern : {Pattern{0, 1, 2, sines, cosines}, Pattern{0, sines, 1, sines, cosines},
                                 Pattern{cosines, 0, 1, sines, cosines}}) {
    if (has_pattern(waves, pattern)) return pattern;
  }
  return std::nullopt;
}

// ---- one row ------------------------------------------------------------------------------------

// Sines and cosines of every frequency, by the engine or by a recipe.
template <class T>
bool make_waves(const AxisRows& ready, const numerics::Dyadic& p, const engine::Waves<T>& to) {
  if (ready.recipe.exact()) return engine::sine_cosine(ready.rungs, p, to);
  return recipe_waves(*ready.recipe.steps, ready.step_ladder, p, to);
}

}  // namespace

template <class T>
T constant_of(const AxisRows& ready, unsigned quarters) {
  if (ready.by_entries) return ready.by_entries->constant<T>(quarters).value_or(T(0.0f));  // its waves say so
  if (ready.recipe.exact()) return engine::at_zero<T>(ready.rungs, quarters);
  const StepScale& scale = ready.step_ladder.output;
  if (scale.is_one()) return engine::at_zero<T>(quarters);
  return recipe_constant<T>(*ready.recipe.steps, scale, quarters);
}
template float constant_of(const AxisRows&, unsigned);
template double constant_of(const AxisRows&, unsigned);
template half constant_of(const AxisRows&, unsigned);
template bfloat16 constant_of(const AxisRows&, unsigned);

namespace {

// ---- many rows ----------------------------------------------------------------------------------

// The strip kernel of the instruction set in use; f64 has none without fused multiply-adds.
template <class T>
engine::StripWriter<T>* strip_writer() {
  if constexpr (std::is_same_v<T, double>) {
    return engine::f64_kernels().write_strip;
  } else {
    return engine::table_kernels().write.of<T>();
  }
}

// Recipes, rows with constants between waves and a lone column of zeros have no columns.
template <class T>
bool strips_serve(const AxisRows& ready, const std::optional<Spaced>& spaced, std::int64_t rows) {
  return strip_writer<T>() != nullptr && ready.columns.size() > 0 && ready.rungs.moderate && spaced &&
         engine::strip_pays(spaced->start, spaced->step, rows);
}

// The steps over positions one by one, made with the row; empty if they were not.
std::span<const engine::PanelSteps> steps_of_tile(const AxisRows& ready, const Spaced& spaced, std::size_t first,
                                                  std::size_t count) {
  if (spaced.step != 1 || spaced.exponent != 0 || ready.steps.empty()) return {};
  return std::span(ready.steps).subspan(first / engine::panel_columns, engine::panels(count));
}

// Rows [first, first + rows) of equally spaced positions, the columns of one tile; the last tile adds the zeros.
template <class T>
bool write_tile(const AxisRows& ready, const engine::Columns& columns, const Spaced& spaced, std::int64_t tile,
                std::int64_t rows, T* out, std::int64_t stride, Stores stores) {
  constexpr std::size_t most = engine::tile_columns<T>;
  const std::size_t first = static_cast<std::size_t>(tile) * most, all = columns.size();
  const std::size_t count = std::min(most, all - first);
  engine::Strip strip = {spaced.start, spaced.step, spaced.exponent, rows, first, count, {}};
  if constexpr (!std::is_same_v<T, double>) strip.steps = steps_of_tile(ready, spaced, first, count);
  const bool decided = strip_writer<T>()(ready.rungs, columns, strip, out + first, stride, stores);
  if (first + count < all || all == static_cast<std::size_t>(ready.width)) return decided;
  for (T* row = out; row != out + rows * stride; row += stride) std::fill(row + all, row + ready.width, T(0.0f));
  return decided;
}

// The columns over positions counted in units of 2^exponent; `scaled` holds them where they are not the row's own.
const engine::Columns& in_units(const AxisRows& ready, int exponent, engine::Columns& scaled) {
  if (exponent == 0) return ready.columns;
  return scaled = engine::scaled(ready.columns, ready.rungs, exponent);
}

template <class T>
std::int64_t tiles(const engine::Columns& columns) {
  return static_cast<std::int64_t>((columns.size() + engine::tile_columns<T> - 1) / engine::tile_columns<T>);
}

// Rows a part of a table: whole far blocks, enough that a strip's directly evaluated rows are few, not so many that the
// pages of a part leave the translation cache.
constexpr std::int64_t strip_rows = 4 * engine::far_rows, single_rows = 64;

// Rows wider than that would keep more than 4 MiB of steps; their strips make their own.
constexpr std::size_t widest_with_steps = 16384;

}  // namespace

void AxisRows::place(const plan::RowPlan& plan) {
  width = static_cast<std::int64_t>(plan.columns.size());
  const std::optional<std::size_t> leading = leading_waves(plan);
  const std::optional<Pattern> pattern = leading ? pattern_of(std::span(plan.columns).first(*leading)) : std::nullopt;
  if (pattern && pattern->sines == plan.ladders[0].size()) {
    by = By::waves;
    sine_at = pattern->sine_at, cosine_at = pattern->cosine_at, step = pattern->step;
    sines = pattern->sines, cosines = pattern->cosines;
  } else {
    place_apart(plan);
  }
}

void AxisRows::place_apart(const plan::RowPlan& plan) {
  by = By::columns;
  sines = cosines = static_cast<std::uint32_t>(plan.ladders[0].size());
  placed = plan.columns;
}

namespace {

std::optional<engine::Rungs> rungs_for(const plan::RowPlan& plan) {
  const DefaultEnvironment environment;
  return kernels_serve(plan) ? engine::rungs_of(plan.ladders[0], plan.scale) : std::nullopt;
}

}  // namespace

AxisRows::AxisRows(const plan::RowPlan& plan) : AxisRows(plan, rungs_for(plan)) {}

AxisRows::AxisRows(const plan::RowPlan& plan, std::optional<engine::Rungs> made) : recipe(exact()) {
  const DefaultEnvironment environment;
  place(plan);
  if (!made || !kernels_serve(plan)) {
    by = By::entries;
    by_entries = std::make_unique<const Entries>(plan);
    return;
  }
  rungs = std::move(*made);
  if (by == By::waves && !rungs.negative.empty()) place_apart(plan);  // where w < 0 the engine's sine is -sin
  if (const std::optional<std::size_t> leading = leading_waves(plan)) {
    columns.reserve(*leading);
    for (const Column& c : std::span(plan.columns).first(*leading)) columns.push_back(rungs, c.frequency, c.quarter);
  }
  if (rungs.moderate && columns.size() <= widest_with_steps) {
    steps = engine::panel_steps(columns, 0, columns.size(), 1);
  }
}

AxisRows::AxisRows(const plan::RowPlan& plan, const Recipe& arithmetic, StepLadder ladder)
    : recipe(arithmetic), step_ladder(std::move(ladder)) {
  place(plan);
  if (recipe.real_by == RealBy::phase) by = By::phases, by_phases = std::make_unique<const PhaseRows>(plan);
}

AxisRows axis_rows(const plan::RowPlan& plan, const Convention& convention, const LoweredFor& given,
                   const Recipe& recipe) {
  if (recipe.exact()) return AxisRows(plan);
  if (!recipe.steps) return AxisRows(plan, recipe, {});
  return AxisRows(plan, recipe, std::move(lower_steps(convention, given, *recipe.steps)[0]));
}

template <class T>
bool AxisRows::write_row(const numerics::Dyadic& p, T* out) const {
  if (by != By::waves) return write_placed(p, out);
  const bool decided = make_waves<T>(*this, p, {out + sine_at, out + cosine_at, sines, cosines, step});
  std::fill(out + sines + cosines, out + width, T(0.0f));
  return decided;
}

// Not inlined: a step of usual rows does not come here.
template <class T>
[[gnu::noinline]] bool AxisRows::write_placed(const numerics::Dyadic& p, T* out) const {
  if (by == By::entries || by == By::phases) {
    const std::optional<numerics::Dyadic> position[] = {p};
    return by_phases ? by_phases->write_row(position, out, 1) : by_entries->write_row(position, out, 1);
  }
  const Scratch<T> scratch(2 * std::size_t{sines});
  T *const sine = scratch.data(), *const cosine = sine + sines;
  const bool decided = make_waves<T>(*this, p, {sine, cosine, sines, sines, 1});
  const bool at_zero = p.zero() && step_ladder.phases.empty();
  for (const Column& c : placed) {
    if (c.kind == Kind::coordinate) {  // under a recipe alone
      *out++ = recipe_coordinate<T>(*recipe.steps, step_ladder.output, p);
      continue;
    }
    const bool constant = c.kind == Kind::constant || at_zero;
    const unsigned quarters = c.kind == Kind::constant
                                  ? c.quarter
                                  : engine::turned(c.quarter, recipe.exact() && rungs.is_negative(c.frequency));
    *out++ = constant ? constant_of<T>(*this, quarters)
                      : engine::entry_of<T>({sine[c.frequency], cosine[c.frequency]}, quarters, false);
  }
  return decided;
}

template <class T>
bool AxisRows::write_table(const Positions& positions, const RowRange& range, T* out, std::int64_t stride,
                           Stores stores, const Executor& executor) const {
  const std::optional<Spaced> spaced = posenc::spaced(positions, range);
  Decided decided;
  if (!strips_serve<T>(*this, spaced, range.count)) {
    for_blocks(executor, range.count, single_rows, [&](std::int64_t i, std::int64_t end) {
      for (; i < end; ++i) decided.also(write_row(position_at(positions, range.b, range.first + i), out + i * stride));
    });
    return decided.all();
  }
  engine::Columns scaled;
  const engine::Columns& counted = in_units(*this, spaced->exponent, scaled);
  // The last part takes a rest that is less than a block as well: a strip writes no rows but its own.
  const std::int64_t across = tiles<T>(counted);
  const std::int64_t down = blocks(range.count - engine::block_rows + 1, strip_rows);
  for_blocks(executor, across * down, 1, [&](std::int64_t part, std::int64_t) {
    const std::int64_t number = part / across, first = number * strip_rows;
    const std::int64_t rows = number + 1 == down ? range.count - first : strip_rows;
    const Spaced from = {spaced->start + first * spaced->step, spaced->step, spaced->exponent};
    decided.also(write_tile(*this, counted, from, part % across, rows, out + first * stride, stride, stores));
  });
  return decided.all();
}

template bool AxisRows::write_row(const numerics::Dyadic&, float*) const;
template bool AxisRows::write_table(const Positions&, const RowRange&, float*, std::int64_t, Stores,
                                    const Executor&) const;
template bool AxisRows::write_row(const numerics::Dyadic&, double*) const;
template bool AxisRows::write_table(const Positions&, const RowRange&, double*, std::int64_t, Stores,
                                    const Executor&) const;
template bool AxisRows::write_row(const numerics::Dyadic&, half*) const;
template bool AxisRows::write_table(const Positions&, const RowRange&, half*, std::int64_t, Stores,
                                    const Executor&) const;
template bool AxisRows::write_row(const numerics::Dyadic&, bfloat16*) const;
template bool AxisRows::write_table(const Positions&, const RowRange&, bfloat16*, std::int64_t, Stores,
                                    const Executor&) const;

double nearest_frequency(const numerics::Real& w) {
  return numerics::rounded<double>(w).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace posenc
