// SPDX-License-Identifier: Apache-2.0
// Ladders of a given width, and the rows that stand on them: one form for every family with one axis.
#pragma once

#include <posenc/convention.h>

#include "src/engine/rungs.h"

namespace posenc {

/// w_k = first * base^(-k numerator / denominator), and the angle of position p is scale * p * w_k.
struct Progression {
  double first, base, scale;  ///< recipes round `first` with w_k and `scale` with the angle; one of the two is 1
  std::uint64_t numerator, denominator;
};

/// A row of one width: its frequencies, and where their sines and cosines stand.
struct RowForm {
  std::variant<Progression, Listed> ladder;
  Layout layout;
  std::size_t sines, cosines;  ///< there is a sine for every frequency, and a cosine for the first so many
  std::int64_t width;          ///< columns; the last ones may be zeros
};
RowForm row_form(const Sinusoid& row, std::int64_t dim);
RowForm row_form(const Timestep& step, std::int64_t dim);
/// The rows of a convention with one axis.
RowForm row_form(const Convention& convention, std::int64_t dim);
bool has_one_axis(const Convention& convention);

/// The number of frequencies of a row of width dim.
std::int64_t frequency_count(const Sinusoid& row, std::int64_t dim);

/// The shift of a timestep in units of 2^-16, of which it has 0 to 2^16; nothing when it breaks that rule.
std::optional<std::uint64_t> shift_units(const Timestep& step);

/// The row of one axis of a grid.
Sinusoid axis_row(const Grid& grid);

/// The cosines and sines of a rotation, [c.. | s..].
Sinusoid angle_row(const Rotary& rotary);

/// The ladder of a row, ready for the engine.
engine::Rungs rungs(const RowForm& form);

}  // namespace posenc
