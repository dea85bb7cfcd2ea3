// SPDX-License-Identifier: Apache-2.0
// Rows of any plan: sums over axes, phases, raw and affine coordinates, logarithms, scales. Each entry is the real
// number rounded once. Waves are made angle by angle, for both of their columns at once.
#pragma once

#include "src/conventions/slope.h"
#include "src/encodings/angle_waves.h"

namespace posenc {

/// A row plan made ready.
class Entries {
 public:
  explicit Entries(const plan::RowPlan& plan);
  const plan::RowPlan& plan() const { return plan_; }

  /// Column c to out[c * step]. A place that lacks a coordinate gives a row of +0. False where an entry was not
  /// settled, or a logarithm is of 0 or less.
  template <class T>
  [[nodiscard]] bool write_row(Place place, T* out, std::int64_t step) const;

  /// A column at angle 0; nothing where the scale is not settled.
  template <class T>
  std::optional<T> constant(unsigned quarters) const;

 private:
  // A column of a wave, and the place of its angle among `angles`.
  struct WaveColumn {
    std::uint32_t column, angle;
    std::uint8_t quarter;
  };
  struct Others {
    std::uint32_t column;
    plan::Column of;
    bool as_given;            // the coordinate of a plain axis, times 1
    std::optional<Slope> by;  // what a plain coordinate is multiplied by, where that is the entry: its angle
  };
  // The sines of all angles from a column on, and cosines of as many or fewer, evenly spaced.
  struct Pattern {
    std::uint32_t sine_at, cosine_at, step, cosines;
  };
  Entries(const plan::RowPlan& plan, AngleList list);
  std::optional<Pattern> pattern() const;
  template <class T>
  std::optional<T> entry(const Others& other, Place place) const;
  template <class T>
  bool write_waves(Place place, T* out, std::int64_t step) const;

  plan::RowPlan plan_;
  std::vector<WaveColumn> waves_;  // in the order of the row
  std::vector<Others> others_;
  AngleWaves angles_;
  std::optional<Pattern> pattern_;
};

}  // namespace posenc
