// SPDX-License-Identifier: Apache-2.0
// Angles of any plan, one by one: sums over axes, phases, affine coordinates, logarithms. Each sine and cosine is the
// real number times a scale, rounded once; no kernel is asked.
#pragma once

#include <functional>
#include <span>

#include "src/numerics/sine_cosine.h"
#include "src/plan/row_plan.h"

namespace posenc {

/// A coordinate of every axis, or nothing where it is absent.
using Place = std::span<const std::optional<numerics::Dyadic>>;

/// A scale by its leading bits, where they are known, and its closed form, which is asked for where those do not tell.
struct ScaleOf {
  std::optional<numerics::Approximation> leading;
  std::function<numerics::Real()> exact;
};

/// A real number as turns; p is 1 or -1.
struct SignedTurn {
  numerics::Turn w;
  numerics::Dyadic p;
};
/// Nothing where 2^15 bits do not tell w from 0.
std::optional<SignedTurn> turns_of(const numerics::Real& w);
/// The leading 128 bits of the fraction of |w| / 2 pi; nothing where that is 2^64 turns or more.
std::optional<numerics::uint128> fraction_of(const SignedTurn& of);

/// The angles that axes, ladders and phases give, made ready.
class AxisAngles {
 public:
  /// step w and start w of a frequency as turns with their signs. `quarters` are those of |step w|.
  struct Parts {
    SignedTurn step, start;
    numerics::QuarterTurns quarters;
  };

  /// Frequency k of an axis, or of every axis for a sum over them; every plan of one row or rotation has its own.
  AxisAngles(const std::vector<plan::Axis>& axes, const std::vector<plan::Ladder>& ladders,
             const std::vector<numerics::Real>& phases);

  std::size_t axes() const { return axes_.size(); }
  /// Are all angles sums of products? Otherwise only the certain path knows them.
  bool quick() const { return quick_; }
  /// Of a frequency of an axis that has it, where angles are quick; the phase of frequency k.
  const Parts& parts(std::size_t axis, std::size_t k) const { return parts_[axis][k]; }
  bool has_phases() const { return !phases_.empty(); }
  const SignedTurn& phase(std::size_t k) const { return phase_turns_[k]; }

  /// What an angle has at coordinates 0, where angles are quick, modulo a turn, in units of 2^-128; nothing where a
  /// part of it has 2^64 turns or more.
  std::optional<numerics::uint128> start(const plan::Angle& angle) const;

  /// The angle in closed form.
  numerics::Real angle(const plan::Angle& angle, Place place) const;
  /// The coordinate of an axis, which may be under a logarithm; nothing where that is of 0 or less.
  std::optional<numerics::Real> coordinate(std::size_t axis, Place place) const;

  /// RN of the scaled sine and cosine of the angle; an exact 0 has the sign that sine_cosine.h says, but that the sine
  /// of angle 0 is +0 whatever the scale. Nothing where one is not settled.
  template <class T>
  std::optional<numerics::Pair<T>> pair(const plan::Angle& angle, Place place, const ScaleOf& scale) const;

 private:
  struct Quarters {
    unsigned whole;
    bool negative;
  };
  std::optional<Quarters> whole_quarters(const plan::Angle& angle, Place place) const;
  void sum(const plan::Angle& angle, Place place, numerics::TurnSum& sum) const;

  std::vector<plan::Axis> axes_;
  std::vector<plan::Ladder> ladders_;
  std::vector<numerics::Real> phases_;
  std::vector<std::vector<Parts>> parts_;  // by axis and frequency
  std::vector<SignedTurn> phase_turns_;    // of each frequency
  bool quick_ = false, logarithms_ = false;
};

/// Does an angle have that axis?
constexpr bool has_axis(const plan::Angle& angle, std::size_t axis) {
  return angle.axis == plan::every_axis || angle.axis == axis;
}

}  // namespace posenc
