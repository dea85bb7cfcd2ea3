// SPDX-License-Identifier: Apache-2.0
// The rows of a sinusoid at any positions: what tables, sums and input stages are made of.
#pragma once

#include <posenc/sinusoid.h>

#include "src/encodings/positions.h"
#include "src/encodings/steps.h"
#include "src/engine/strips.h"

namespace posenc {

struct SinusoidRows::Ready {
  Layout layout;
  std::size_t sines, cosines;  // in a row
  std::int64_t width;
  Recipe recipe;
  engine::Rungs rungs;                    // exact recipe
  engine::Columns columns;                // exact recipe
  std::vector<engine::PanelSteps> steps;  // exact recipe: over positions one by one
  StepLadder step_ladder;                 // any other

  Ready(const RowForm& form, const Recipe& arithmetic);

  /// out[0, width): the row of position p, rounded to T (float, double, half, bfloat16).
  template <class T>
  void write_row(const numerics::Dyadic& p, T* out) const;

  /// Row i of the range to out + i * stride: equally spaced positions by strips, others one by one.
  template <class T>
  void write_rows(const Positions& positions, const RowRange& range, T* out, std::int64_t stride) const {
    if (range.count == 1) return write_row(position_at(positions, range.b, range.first), out);  // a step is no strip
    write_many(positions, range, out, stride);
  }

  /// The same as independent parts of work.
  template <class T>
  void write_table(const Positions& positions, const RowRange& range, T* out, std::int64_t stride,
                   engine::Stores stores, const Executor& executor) const;

 private:
  template <class T>
  void write_many(const Positions& positions, const RowRange& range, T* out, std::int64_t stride) const;
};

}  // namespace posenc
