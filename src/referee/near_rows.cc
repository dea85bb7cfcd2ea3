// SPDX-License-Identifier: Apache-2.0
// Angles as products of doubles, and their sines and cosines in double.
#include "src/referee/near_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "src/base/made_once.h"
#include "src/numerics/evaluate.h"
#include "src/referee/arc.h"
#include "src/referee/logarithm.h"

namespace posenc::referee {
namespace {

Signal make_unit() {
  const Preset& paper = *find_preset("transformer");
  return *signal_of(paper, paper.convention, {.width = 2}, table_form);
}

// A table of width 2 at these positions.
struct WavesOf {
  Reading reading;
  Hypothesis hypothesis;
  std::vector<std::int64_t> places;
};
WavesOf waves_at(std::vector<double> angles) {
  WavesOf waves;
  waves.reading.extents = {std::ssize(angles)}, waves.reading.width = 2;
  waves.places.resize(angles.size());
  std::iota(waves.places.begin(), waves.places.end(), std::int64_t{0});
  waves.hypothesis = {made_once<make_unit>(), {0}, {{.list = std::move(angles)}}};
  return waves;
}

constexpr double most_angle = 0x1p30;  // beyond it doubles leave too little of an angle

}  // namespace

double CoordinateOf::operator()(double position) const {
  const double x = step * position + start;
  return logarithm ? log_of(x) : x;
}
CoordinateOf coordinate_of(const plan::Axis& axis) {
  const auto number = [](const numerics::Rational& x) {
    return numerics::rounded<double>(numerics::Real(x)).value_or(0);
  };
  return {number(axis.step), number(axis.start), axis.of == plan::Axis::Of::logarithm};
}

std::vector<double> sines_of(std::vector<double> angles) {
  const WavesOf waves = waves_at(std::move(angles));
  return known_rows(waves.reading, waves.hypothesis, waves.places);
}

std::vector<float> near_rows(const Reading& reading, const Hypothesis& hypothesis,
                             std::span<const std::int64_t> places) {
  const Signal& signal = hypothesis.signal;
  const std::size_t axes = signal.axes();
  std::vector<CoordinateOf> coordinates;
  for (const plan::Axis& axis : signal.plan->axes) coordinates.push_back(coordinate_of(axis));
  std::vector<std::vector<double>> along(axes);  // of each axis and place
  for (const std::int64_t place : places) {
    const std::vector<std::int64_t> index = reading.index(place);
    for (std::size_t a = 0; a < axes; ++a) {
      along[a].push_back(coordinates[a](hypothesis.coordinates[a].at(index[hypothesis.extent_of[a]])));
    }
  }
  // The axis of a wave of the sum over all axes is behind them.
  const auto axis_of = [&](const plan::Column& column) { return std::min<std::size_t>(column.axis, axes); };
  const auto angle_of = [&](const plan::Column& column, std::size_t i) {
    double angle = column.kind == plan::Kind::wave ? signal.phase(column.frequency) : 0;
    for (std::size_t a = 0; a < axes; ++a) {
      if (column.axis == a || column.axis == plan::every_axis) {
        angle += signal.frequencies[a][column.frequency] * along[a][i];
      }
    }
    return angle;
  };
  // Columns of one wave stand anywhere; its point is made once a row.
  struct Made {
    Point point;
    std::size_t row;  // one more than its number
  };
  std::vector<std::vector<Made>> made(axes + 1);
  for (const plan::Column& column : signal.plan->columns) {
    if (column.kind != plan::Kind::wave) continue;
    std::vector<Made>& of_axis = made[axis_of(column)];
    if (of_axis.size() <= column.frequency) of_axis.resize(std::size_t{column.frequency} + 1, {{}, 0});
  }
  const auto point_of = [&](const plan::Column& column, std::size_t i) -> const Point& {
    Made& wave = made[axis_of(column)][column.frequency];
    if (wave.row == i + 1) return wave.point;
    constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
    const double angle = angle_of(column, i);
    wave = {std::abs(angle) < most_angle ? point_at(angle) : Point{not_known, not_known}, i + 1};
    return wave.point;
  };
  std::vector<float> rows;
  rows.reserve(places.size() * signal.plan->columns.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const plan::Column& column : signal.plan->columns) {
      constexpr double at_zero[] = {0, 1, 0, -1};
      double entry = 0;
      switch (column.kind) {
        case plan::Kind::constant: entry = at_zero[column.quarter]; break;
        case plan::Kind::coordinate: entry = along[column.axis][i]; break;
        case plan::Kind::angle: entry = angle_of(column, i); break;
        case plan::Kind::wave: {
          const Point& point = point_of(column, i);
          entry = (column.quarter >= 2 ? -1 : 1) * (column.quarter % 2 == 0 ? point.sine : point.cosine);
        }
      }
      rows.push_back(static_cast<float>(signal.scale * entry));
    }
  }
  return rows;
}

}  // namespace posenc::referee
