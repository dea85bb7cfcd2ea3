// SPDX-License-Identifier: Apache-2.0
// Rows of any plan, entry by entry: sums over axes, phases, raw and affine coordinates, logarithms, scales. Each entry
// is the real number rounded once; no kernel is asked.
#pragma once

#include <span>

#include "src/numerics/sine_cosine.h"
#include "src/plan/row_plan.h"

namespace posenc {

/// A coordinate of every axis, or nothing where it is absent.
using Place = std::span<const std::optional<numerics::Dyadic>>;

/// The angles that axes, ladders and phases give, made ready.
class AxisAngles {
 public:
  /// Frequency k of an axis, or of every axis for a sum over them; every plan of one row or rotation has its own.
  AxisAngles(const std::vector<plan::Axis>& axes, const std::vector<plan::Ladder>& ladders,
             const std::vector<numerics::Real>& phases);

  /// The angle in closed form.
  numerics::Real angle(std::uint16_t axis, std::size_t k, Place place) const;
  /// The same as products for the quick path; false where an axis is under a logarithm.
  bool products(std::uint16_t axis, std::size_t k, Place place, std::vector<numerics::TurnProduct>& products) const;
  /// The coordinate of an axis, which may be under a logarithm; nothing where that is of 0 or less.
  std::optional<numerics::Real> coordinate(std::size_t axis, Place place) const;

  /// RN of the scaled sine or cosine of the angle; an exact 0 is +0, or of the scale's sign. Nothing where it is not
  /// settled.
  template <class T>
  std::optional<T> wave(numerics::Wave wave, std::uint16_t axis, std::size_t k, Place place,
                        const numerics::Scale& scale) const;

 private:
  // step w and start w of a frequency as turns with their signs.
  struct Parts {
    numerics::TurnProduct step, start;
  };
  bool has(std::size_t a, std::uint16_t axis) const { return axis == plan::every_axis || axis == a; }

  std::vector<plan::Axis> axes_;
  std::vector<plan::Ladder> ladders_;
  std::vector<numerics::Real> phases_;
  std::vector<std::vector<Parts>> parts_;           // by axis and frequency; empty where there is no quick path
  std::vector<numerics::TurnProduct> phase_turns_;  // of each frequency
};

/// A row plan made ready.
class Entries {
 public:
  explicit Entries(const plan::RowPlan& plan);
  const plan::RowPlan& plan() const { return plan_; }

  /// Column c to out[c * step]. A place that lacks a coordinate gives a row of +0. False where an entry was not
  /// settled, or a logarithm is of 0 or less.
  template <class T>
  [[nodiscard]] bool write_row(Place place, T* out, std::int64_t step) const;

 private:
  template <class T>
  std::optional<T> entry(const plan::Column& column, Place place) const;

  plan::RowPlan plan_;
  AxisAngles angles_;
  numerics::Scale scale_;
};

}  // namespace posenc
