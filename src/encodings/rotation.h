// SPDX-License-Identifier: Apache-2.0
// Rotations of any plan: coefficients of a block of positions, used for every head and sequence of that block.
#pragma once

#include <posenc/rotary.h>

#include "src/encodings/cells.h"
#include "src/encodings/step_turns.h"
#include "src/encodings/turns.h"
#include "src/engine/rotary/rotate.h"
#include "src/plan/pair_plan.h"

namespace posenc {

/// Rows of the coefficients of a plan: [c0 | s0] of all pairs, or [c0 | s0 | s1 | c1] where a pair has two angles.
plan::RowPlan coefficient_rows(const plan::PairPlan& pairs);

/// A pair plan made ready to turn tensors.
class Rotation {
 public:
  Rotation() = default;
  /// `ladders` has the ladder of each axis of a recipe of steps, with the magnitude of its waves, or nothing.
  Rotation(const plan::PairPlan& plan, const Recipe& recipe, const std::vector<StepLadder>& ladders);

  /// Columns that a tensor has at least.
  std::int64_t columns() const { return columns_; }

  /// Every row of the tensors by the coordinates of its token, a list an axis. The inverse is the transposed map. False
  /// where a coefficient was not settled.
  [[nodiscard]] bool rotate(std::span<const Positions> coordinates, std::span<const Rotated> tensors,
                            Direction direction, const Executor& executor) const;

 private:
  struct Block;
  [[nodiscard]] bool rotate_side(std::span<const Positions> coordinates, std::span<const Rotated> tensors,
                                 RotatedSide side, Direction direction, const Executor& executor) const;
  /// Those of f64, whose coefficients are rounded to f64: a few rows at a time, pair by pair.
  [[nodiscard]] bool rotate_wide(std::span<const Positions> coordinates, std::span<const Rotated> tensors,
                                 Direction direction, const Executor& executor) const;
  [[nodiscard]] bool make_rows(std::span<const Positions> coordinates, const RowRange& rows, RotatedSide side,
                               Direction direction, float* out) const;
  /// Negates the sines of rows that were made forward and are asked for the other way.
  template <class T>
  void direct(const RowRange& rows, Direction direction, T* made) const;
  bool has_sides() const { return decaying_ != nullptr || step_decaying_.has_value(); }
  void turn(const float* made, Direction direction, const Block& block) const;

  std::int64_t columns_ = 0, pairs_ = 0;
  std::int64_t width_ = 0;  // of a row of coefficients: [c0 | s0], or [c0 | s0 | s1 | c1] where a pair has two angles
  bool backward_ = false;   // the rows below are those of the plan turned forward
  std::int64_t least_rows_ = 1, most_rows_ = 1, lines_per_block_ = 1;
  std::optional<plan::Pairs> plain_;
  plan::Placement forward_, inverse_;
  std::optional<CellRows> cells_;           // a row of coefficients of each place
  std::unique_ptr<const Turns> decaying_;   // where queries and keys differ, under exact: coefficients one by one
  std::optional<StepTurns> step_decaying_;  // the same under a recipe
};

}  // namespace posenc
