// SPDX-License-Identifier: Apache-2.0
// Plans that are stated twice: to the library in closed form, and to MPFR.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "src/encodings/entries.h"
#include "tests/numerics/formats.h"

namespace posenc::test {

using numerics::fraction;
using numerics::Rational;
using numerics::Real;
using oracle::Value;

/// The same real number for both.
struct Number {
  Real real;
  Value value;
  Number(double x) : real(x), value(x) {}
  Number(Real of, Value truth) : real(std::move(of)), value(std::move(truth)) {}
};
inline Number power(double base, int n, int d) {
  return {numerics::power(Rational(base), fraction(n, d)), pow(Value(base), Value(n) / Value(d))};
}
inline Number pi_times(double x) { return {Real(x) * numerics::pi_to_the(1), Value(x) * oracle::pi()}; }
inline Number ln(double x) { return {numerics::logarithm(Rational(x)), log(Value(x))}; }
inline Number operator*(const Number& a, const Number& b) { return {a.real * b.real, a.value * b.value}; }
inline Number operator+(const Number& a, const Number& b) { return {a.real + b.real, a.value + b.value}; }

struct StatedAxis {
  double step = 1, start = 0;
  bool logarithm = false;
};

struct StatedAngles {
  std::vector<StatedAxis> axes;
  std::vector<std::vector<Number>> ladders;  // one an axis
  std::vector<Number> phases = {};           // one a frequency, or none

  std::vector<plan::Axis> plan_axes() const {
    std::vector<plan::Axis> made;
    for (const auto& [step, start, logarithm] : axes) {
      made.push_back({step, start, logarithm ? plan::Axis::Of::logarithm : plan::Axis::Of::number});
    }
    return made;
  }
  std::vector<plan::Ladder> plan_ladders() const {
    std::vector<plan::Ladder> made;
    for (const auto& ladder : ladders) made.push_back({reals(ladder)});
    return made;
  }
  static std::vector<Real> reals(const std::vector<Number>& numbers) {
    std::vector<Real> made;
    for (const Number& number : numbers) made.push_back(number.real);
    return made;
  }

  Value coordinate(std::size_t axis, const std::vector<double>& place) const {
    const Value x = Value(axes[axis].step) * Value(place[axis]) + Value(axes[axis].start);
    return axes[axis].logarithm ? log(x) : x;
  }
  /// phase_k + the sum of coordinate_a w_a,k over the axes of an angle.
  Value angle(std::uint16_t axis, std::size_t k, const std::vector<double>& place) const {
    Value sum = phases.empty() ? Value(0) : phases[k].value;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (axis == a || axis == plan::every_axis) sum = sum + coordinate(a, place) * ladders[a][k].value;
    }
    return sum;
  }
};

inline Value turned(const Value& angle, unsigned quarter) {
  const Value size = quarter % 2 == 0 ? sin(angle) : cos(angle);
  return quarter < 2 ? size : Value(0) - size;
}

struct StatedRows : StatedAngles {
  std::vector<plan::Column> columns;
  Number scale = 1;

  plan::RowPlan made() const {
    return {plan_axes(), plan_ladders(), reals(phases), columns, scale.real, plan::Absent::zeros};
  }
  Value value(const plan::Column& column, const std::vector<double>& place) const {
    if (column.kind == plan::Kind::constant) return Value(std::vector{0, 1, 0, -1}[column.quarter]) * scale.value;
    if (column.kind == plan::Kind::coordinate) return coordinate(column.axis, place) * scale.value;
    return turned(angle(column.axis, column.frequency, place), column.quarter) * scale.value;
  }
};

inline std::vector<std::optional<numerics::Dyadic>> dyadics(const std::vector<double>& place) {
  std::vector<std::optional<numerics::Dyadic>> made;
  for (const double x : place) made.push_back(numerics::dyadic(x));
  return made;
}

/// The row of a plan, as doubles that hold it; empty where an entry was not settled.
template <class T>
std::vector<double> row(const plan::RowPlan& plan, const std::vector<double>& place) {
  std::vector<T> out(plan.columns.size());
  if (!Entries(plan).write_row(Place(dyadics(place)), out.data(), 1)) return {};
  std::vector<double> wide;
  for (const T x : out) wide.push_back(numerics::widened(x));
  return wide;
}

inline constexpr std::uint16_t sum = plan::every_axis;
inline plan::Column wave(std::uint8_t quarter, std::uint16_t axis, std::uint32_t k) {
  return {plan::Kind::wave, quarter, axis, k};
}
inline plan::Column constant(std::uint8_t quarter) { return {plan::Kind::constant, quarter, plan::no_axis, 0}; }
inline plan::Column coordinate(std::uint16_t axis) { return {plan::Kind::coordinate, 0, axis, 0}; }

}  // namespace posenc::test
