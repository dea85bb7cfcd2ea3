// SPDX-License-Identifier: Apache-2.0
// AxisRows: the rows of a plan of one axis at any positions, of which tables, sums, cells and input stages are made.
#pragma once

#include <posenc/positions.h>
#include <posenc/recipe.h>

#include "src/conventions/lower.h"
#include "src/encodings/entries.h"
#include "src/encodings/phase_rows.h"
#include "src/encodings/positions.h"
#include "src/engine/tables/table_kernel.h"
#include "src/plan/row_plan.h"

namespace posenc {

/// A plan of one axis made ready. Functions that return bool say whether every entry was settled (undecided.h).
struct AxisRows {
  /// How a row is made: sines and cosines straight to where they stand; the same, then each column from its place;
  /// entry by entry; or from phases.
  enum class By : std::uint8_t { waves = 1, columns, entries, phases };

  By by;
  std::uint32_t sine_at, cosine_at, step;  // waves: columns of the first ones, and from one to the next
  std::uint32_t sines, cosines;            // frequencies, and those of the first whose cosine stands in the row
  std::int64_t width;
  Recipe recipe;
  engine::Rungs rungs;                         // exact recipe
  engine::Columns columns;                     // exact recipe: where waves come before all constants
  std::vector<engine::PanelSteps> steps;       // exact recipe: over positions one by one
  StepLadder step_ladder;                      // any other
  std::vector<plan::Column> placed;            // by columns
  std::unique_ptr<const Entries> by_entries;   // entry by entry
  std::unique_ptr<const PhaseRows> by_phases;  // from phases

  /// A plan under exact; the last constructor takes another recipe, with its ladder if it has steps.
  explicit AxisRows(const plan::RowPlan& plan);
  /// Takes the rungs of its ladder, if kernels read them.
  AxisRows(const plan::RowPlan& plan, std::optional<engine::Rungs> made);
  AxisRows(const plan::RowPlan& plan, const Recipe& recipe, StepLadder ladder);

  const plan::Ladder& ladder() const {
    if (by_phases) return by_phases->plan().ladders[0];
    return by_entries ? by_entries->plan().ladders[0] : rungs.ladder;
  }

  /// out[0, width): the row of position p, rounded to T (float, double, half, bfloat16).
  template <class T>
  [[nodiscard]] bool write_row(const numerics::Dyadic& p, T* out) const;

  /// Row i of the range to out + i * stride: equally spaced positions by strips, others one by one.
  template <class T>
  [[nodiscard]] bool write_rows(const Positions& positions, const RowRange& range, T* out, std::int64_t stride) const {
    if (range.count == 1) return write_row(position_at(positions, range.b, range.first), out);  // a step is no strip
    return write_table(positions, range, out, stride, Stores::cached, serial);
  }

  /// write_rows, in independent parts of work.
  template <class T>
  [[nodiscard]] bool write_table(const Positions& positions, const RowRange& range, T* out, std::int64_t stride,
                                 Stores stores, const Executor& executor) const;

 private:
  void place(const plan::RowPlan& plan);
  void place_apart(const plan::RowPlan& plan);
  template <class T>
  bool write_placed(const numerics::Dyadic& p, T* out) const;
};

/// A column at angle 0 or without one, under the row's recipe.
template <class T>
T constant_of(const AxisRows& ready, unsigned quarters);

/// The plan of a convention under a recipe, which keep their checks.
AxisRows axis_rows(const plan::RowPlan& plan, const Convention& convention, const LoweredFor& given,
                   const Recipe& recipe);

/// The nearest f64, and how many of them take some milliseconds.
double nearest_frequency(const numerics::Real& w);
inline constexpr std::int64_t frequencies_of_a_block = 64;

}  // namespace posenc
