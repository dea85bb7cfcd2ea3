// SPDX-License-Identifier: Apache-2.0
// Rows from the engine or from a recipe, placed as the layout says.
#include "src/encodings/rows.h"

#include <algorithm>
#include <cmath>

#include "src/engine/blocks.h"
#include "src/engine/sincos.h"

namespace posenc {
namespace {

// Which frequency and phase stand in each column; a last column of zeros has none.
engine::Columns columns_of(const SinusoidRows::Ready& ready) {
  engine::Columns columns;
  columns.reserve(ready.sines + ready.cosines);
  const auto sines = [&] {
    for (std::size_t k = 0; k < ready.sines; ++k) columns.push_back(ready.rungs, k, engine::sine_phase);
  };
  const auto cosines = [&] {
    for (std::size_t k = 0; k < ready.cosines; ++k) columns.push_back(ready.rungs, k, engine::cosine_phase);
  };
  switch (ready.layout) {
    case Layout::interleaved:
      for (std::size_t k = 0; k < ready.sines; ++k) {
        columns.push_back(ready.rungs, k, engine::sine_phase);
        if (k < ready.cosines) columns.push_back(ready.rungs, k, engine::cosine_phase);
      }
      break;
    case Layout::sine_first:
      sines();
      cosines();
      break;
    case Layout::cosine_first:
      cosines();
      sines();
      break;
  }
  return columns;
}

// ---- one row ------------------------------------------------------------------------------------

// Where the sines and cosines of a row stand.
template <class T>
engine::Waves<T> waves(const SinusoidRows::Ready& ready, T* row) {
  const std::size_t sines = ready.sines, cosines = ready.cosines;
  switch (ready.layout) {
    case Layout::sine_first: return {row, row + sines, sines, cosines, 1};
    case Layout::cosine_first: return {row + cosines, row, sines, cosines, 1};
    default: return {row, row + 1, sines, cosines, 2};
  }
}

// RN of a recipe's value; its NaN stays one.
template <class T>
T stored(double value) {
  if (std::isnan(value)) return T(std::numeric_limits<float>::quiet_NaN());
  return numerics::round<T>(numerics::dyadic(value));
}

// ---- many rows ----------------------------------------------------------------------------------

// f64 has no wider lanes to be rounded from, and a recipe has rows of its own.
template <class T>
bool strips_serve(const SinusoidRows::Ready& ready, const std::optional<Spaced>& spaced, std::int64_t rows) {
  return !std::is_same_v<T, double> && ready.recipe.exact() && ready.rungs.moderate && spaced &&
         engine::strip_pays(spaced->start, spaced->step, rows);
}

// Those of the row's own columns one by one, if they were made.
std::span<const engine::PanelSteps> steps_of_tile(const SinusoidRows::Ready& ready, const Spaced& spaced,
                                                  std::size_t first, std::size_t count) {
  if (spaced.step != 1 || spaced.exponent != 0 || ready.steps.empty()) return {};
  return std::span(ready.steps).subspan(first / engine::panel_columns, engine::panels(count));
}

// Rows [first, first + rows) of equally spaced positions, the columns of one tile; the last tile adds the zeros.
template <class T>
void write_tile(const SinusoidRows::Ready& ready, const engine::Columns& columns, const Spaced& spaced,
                std::int64_t tile, std::int64_t rows, T* out, std::int64_t stride, engine::Stores stores) {
  if constexpr (!std::is_same_v<T, double>) {
    constexpr std::size_t most = engine::tile_columns<T>;
    const std::size_t first = static_cast<std::size_t>(tile) * most, all = columns.size();
    const std::size_t count = std::min(most, all - first);
    const engine::Strip strip = {
        spaced.start, spaced.step, spaced.exponent, rows, first, count, steps_of_tile(ready, spaced, first, count)};
    engine::write_strip(ready.rungs, columns, strip, out + first, stride, stores);
    if (first + count < all || all == static_cast<std::size_t>(ready.width)) return;
    for (std::int64_t i = 0; i < rows; ++i) out[i * stride + static_cast<std::int64_t>(all)] = T(0.0f);
  }
}

// The columns over positions counted in units of 2^exponent; `scaled` holds them where they are not the row's own.
const engine::Columns& in_units(const SinusoidRows::Ready& ready, int exponent, engine::Columns& scaled) {
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

std::vector<engine::PanelSteps> steps_of(const engine::Columns& columns) {
  if (columns.size() > widest_with_steps) return {};
  std::vector<engine::PanelSteps> steps(engine::panels(columns.size()));
  for (std::size_t p = 0; p < steps.size(); ++p) {
    const std::size_t first = p * engine::panel_columns;
    engine::fill_steps(columns, first, std::min(engine::panel_columns, columns.size() - first), 1, steps[p]);
  }
  return steps;
}

}  // namespace

SinusoidRows::Ready::Ready(const RowForm& form, const Recipe& arithmetic)
    : layout(form.layout), sines(form.sines), cosines(form.cosines), width(form.width), recipe(arithmetic) {
  const engine::DefaultEnvironment environment;
  if (recipe.exact()) {
    rungs = posenc::rungs(form);
    columns = columns_of(*this);
    if (rungs.moderate) steps = steps_of(columns);
  } else {
    step_ladder = posenc::step_ladder(form, *recipe.steps);
  }
}

template <class T>
void SinusoidRows::Ready::write_row(const numerics::Dyadic& p, T* out) const {
  const engine::Waves<T> to = waves(*this, out);
  if (recipe.exact()) {
    engine::sine_cosine(rungs, p, to);
  } else {
    for (std::size_t k = 0; k < sines; ++k) {
      const numerics::Pair<double> pair = step_sine_cosine(*recipe.steps, step_ladder, p, k);
      to.put(k, stored<T>(pair.sine), stored<T>(pair.cosine));
    }
  }
  std::fill(out + sines + cosines, out + width, T(0.0f));
}

template <class T>
void SinusoidRows::Ready::write_many(const Positions& positions, const RowRange& range, T* out,
                                     std::int64_t stride) const {
  const std::optional<Spaced> spaced = posenc::spaced(positions, range);
  if (!strips_serve<T>(*this, spaced, range.count)) {
    for (std::int64_t i = 0; i < range.count; ++i) {
      write_row(position_at(positions, range.b, range.first + i), out + i * stride);
    }
    return;
  }
  engine::Columns scaled;
  const engine::Columns& counted = in_units(*this, spaced->exponent, scaled);
  for (std::int64_t tile = 0; tile < tiles<T>(counted); ++tile) {
    write_tile(*this, counted, *spaced, tile, range.count, out, stride, engine::Stores::cached);
  }
}

template <class T>
void SinusoidRows::Ready::write_table(const Positions& positions, const RowRange& range, T* out, std::int64_t stride,
                                      engine::Stores stores, const Executor& executor) const {
  const std::optional<Spaced> spaced = posenc::spaced(positions, range);
  if (!strips_serve<T>(*this, spaced, range.count)) {
    engine::for_blocks(executor, range.count, single_rows, [&](std::int64_t i, std::int64_t end) {
      for (; i < end; ++i) write_row(position_at(positions, range.b, range.first + i), out + i * stride);
    });
    return;
  }
  engine::Columns scaled;
  const engine::Columns& counted = in_units(*this, spaced->exponent, scaled);
  // The last part takes a rest that is less than a block as well: a strip writes no rows but its own.
  const std::int64_t across = tiles<T>(counted);
  const std::int64_t down = engine::blocks(range.count - engine::block_rows + 1, strip_rows);
  engine::for_blocks(executor, across * down, 1, [&](std::int64_t part, std::int64_t) {
    const std::int64_t number = part / across, first = number * strip_rows;
    const std::int64_t rows = number + 1 == down ? range.count - first : strip_rows;
    const Spaced from = {spaced->start + first * spaced->step, spaced->step, spaced->exponent};
    write_tile(*this, counted, from, part % across, rows, out + first * stride, stride, stores);
  });
}

template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, float*) const;
template void SinusoidRows::Ready::write_many(const Positions&, const RowRange&, float*, std::int64_t) const;
template void SinusoidRows::Ready::write_table(const Positions&, const RowRange&, float*, std::int64_t, engine::Stores,
                                               const Executor&) const;
template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, double*) const;
template void SinusoidRows::Ready::write_many(const Positions&, const RowRange&, double*, std::int64_t) const;
template void SinusoidRows::Ready::write_table(const Positions&, const RowRange&, double*, std::int64_t, engine::Stores,
                                               const Executor&) const;
template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, half*) const;
template void SinusoidRows::Ready::write_many(const Positions&, const RowRange&, half*, std::int64_t) const;
template void SinusoidRows::Ready::write_table(const Positions&, const RowRange&, half*, std::int64_t, engine::Stores,
                                               const Executor&) const;
template void SinusoidRows::Ready::write_row(const numerics::Dyadic&, bfloat16*) const;
template void SinusoidRows::Ready::write_many(const Positions&, const RowRange&, bfloat16*, std::int64_t) const;
template void SinusoidRows::Ready::write_table(const Positions&, const RowRange&, bfloat16*, std::int64_t,
                                               engine::Stores, const Executor&) const;

}  // namespace posenc
