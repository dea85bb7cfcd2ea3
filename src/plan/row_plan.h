// SPDX-License-Identifier: Apache-2.0
// Which real number stands in every column of a row. No family, layout or preset is known here, and no kernel.
#pragma once

#include "src/plan/ladder.h"

namespace posenc::plan {

/// The coordinate of a position p: step p + start, or the natural logarithm of that.
struct Axis {
  numerics::Rational step = 1, start = 0;
  enum class Of : std::uint8_t { number = 1, logarithm } of = Of::number;
  friend bool operator==(const Axis&, const Axis&) = default;
};

/// What stands in a column, before the scale.
enum class Kind : std::uint8_t {
  constant = 1,  ///< the wave at angle 0: 0, 1, 0 or -1 by its quarter
  coordinate,    ///< the coordinate of its axis
  wave,          ///< sin(angle + quarter pi / 2)
  angle,         ///< the angle, in radians
};

/// Axes that are none: the angle is a sum over all of them, or there is no angle.
inline constexpr std::uint16_t every_axis = 0xFFFF, no_axis = 0xFFFE;

/// The coordinate of the axis times its frequency; the sum over all axes for every_axis, 0 for no_axis.
struct Angle {
  std::uint16_t axis;
  std::uint32_t frequency;  ///< its place in the ladder of the axis
  friend bool operator==(const Angle&, const Angle&) = default;
};

struct Column {
  Kind kind;
  std::uint8_t quarter;     ///< of a turn: 0 sin, 1 cos, 2 -sin, 3 -cos
  std::uint16_t axis;       ///< whose coordinate is multiplied, or every_axis
  std::uint32_t frequency;  ///< its place in the ladder of the axis, and its phase's among the phases
  friend bool operator==(const Column&, const Column&) = default;
};

/// What the row of a position without a coordinate is.
enum class Absent : std::uint8_t { refused = 1, zeros };

/// A wave is sin(phase_k + quarter pi / 2 + sum of coordinate_a w_a,k over its axes).
///
/// The sign of an exact 0 is that of sine_cosine.h: a sine's is the angle's, a cosine's is +, and those of -sin and
/// -cos are the others; a negative scale turns it. At angle 0 both sin and -sin are +0 whatever the scale. Where
/// kernels make a wave of one axis, it has the sign of the position at frequency 0, too, but in f64, where it is +0.
struct RowPlan {
  std::vector<Axis> axes;
  std::vector<Ladder> ladders;         ///< one an axis
  std::vector<numerics::Real> phases;  ///< one a frequency, in radians; or none
  std::vector<Column> columns;         ///< in the order of the row; its size is the width
  numerics::Real scale = 1;            ///< of every entry
  Absent absent = Absent::refused;
};

/// The same real number in every column, whatever their frequencies are called: the same table.
bool operator==(const RowPlan& a, const RowPlan& b);

/// The frequency of an angle, axis by axis: 0 for axes that it does not have. A ladder an axis.
std::vector<numerics::Real> frequencies(const std::vector<Ladder>& ladders, const Angle& angle);

}  // namespace posenc::plan
