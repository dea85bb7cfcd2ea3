// SPDX-License-Identifier: Apache-2.0
// Rows of a hypothesis from frequencies that are doubles: for searches, which no bit depends on.
#pragma once

#include "src/referee/hypothesis.h"

namespace posenc::referee {

/// The coordinate that an axis makes of a position, in doubles.
struct CoordinateOf {
  double step, start;
  bool logarithm;
  double operator()(double position) const;
};
CoordinateOf coordinate_of(const plan::Axis& axis);

/// Sines and cosines, side by side, of any angles, exact in f64: those of a row of width 2 whose frequency is 1.
std::vector<double> sines_of(std::vector<double> angles);

/// The rows of a few places [places, width], each entry within 2^-20 of the scale at angles below 2^30. NaN: a
/// larger one, or a column whose frequency was not made. Making a scaled ladder once more, as known_rows does, takes 30
/// us a frequency; this takes 20 ns an entry.
std::vector<float> near_rows(const Reading& reading, const Hypothesis& hypothesis,
                             std::span<const std::int64_t> places);

}  // namespace posenc::referee
