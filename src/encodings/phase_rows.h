// SPDX-License-Identifier: Apache-2.0
// Rows of any plan under the recipe `phase`: 64-bit phases as sums over axes, and the kernel of whole numbers for them
// (engine/tables/phase_waves).
#pragma once

#include "src/encodings/angle_waves.h"

namespace posenc {

/// A row plan made ready.
class PhaseRows {
 public:
  explicit PhaseRows(const plan::RowPlan& plan);
  const plan::RowPlan& plan() const { return plan_; }

  /// Do words tell every angle at near positions? Otherwise only the certain path knows them.
  bool by_words() const { return quick_; }
  std::size_t angles() const { return of_.size(); }
  std::uint64_t word(std::size_t axis, std::size_t angle) const { return axes_[axis].words[angle]; }
  std::uint64_t start(std::size_t angle) const { return starts_[angle]; }
  /// Of a column of a wave.
  std::uint32_t angle_of(std::size_t column) const { return angle_of_[column]; }
  float scale() const { return scale_; }

  /// Column c to out[c * step]. A place that lacks a coordinate gives a row of +0. False where 2^15 bits do not tell a
  /// phase.
  template <class T>
  [[nodiscard]] bool write_row(Place place, T* out, std::int64_t step) const;

 private:
  // Of the angles, in the order of `angles_`.
  struct Axis {
    std::vector<std::uint64_t> words;  // RN(2^64 step w / 2 pi), modulo 2^64; 0 where an angle does not have the axis
    std::vector<numerics::uint128> wide;  // the same of 2^128, of the size of w, rounded down
  };
  PhaseRows(const plan::RowPlan& plan, AngleList list);
  std::optional<std::uint64_t> far_turns(std::size_t axis, std::size_t j, const numerics::Dyadic& p) const;
  [[nodiscard]] bool write_phases(Place place, std::uint64_t* phases) const;
  float other(const plan::Column& column, Place place) const;

  plan::RowPlan plan_;
  AxisAngles angles_;
  std::vector<plan::Angle> of_;
  std::vector<std::uint32_t> angle_of_;  // of each column: its place among the angles
  std::vector<Axis> axes_;
  std::vector<std::uint64_t> starts_;  // what an angle has at coordinates 0
  float scale_ = 1;
  bool quick_ = false;  // words, wide and starts have all angles
};

}  // namespace posenc
