// SPDX-License-Identifier: Apache-2.0
// The decay of pairs: what a coordinate multiplies the waves of each pair by, f^((x - centre) / period).
#pragma once

#include "src/encodings/axis_angles.h"
#include "src/plan/pair_plan.h"

namespace posenc {

class Decays {
 public:
  /// Of a plan with a decay. Factor j is that of pair pairs[j].
  Decays(const plan::PairPlan& plan, const std::vector<std::uint32_t>& pairs);

  /// The exponent (x - centre) / period of a place.
  numerics::Rational exponent(Place place) const;
  /// The same, off by less than 2^-52 of itself and not more; nothing where f64 has not what it is made of.
  std::optional<double> nearly(Place place) const;

  /// log2 of factor j, RN, for whole blocks; zeros follow.
  const double* logs() const { return logs_.data(); }
  /// The greatest of them in size.
  double greatest_log() const { return greatest_log_; }

  /// Factor j to an exponent in closed form.
  numerics::Real power(std::size_t j, const numerics::Rational& exponent) const;
  /// The same by the quick path; `exponent` is nothing for 0.
  std::optional<numerics::Approximation> quick_power(std::size_t j,
                                                     const std::optional<numerics::Approximation>& exponent) const;

 private:
  plan::Decay decay_;
  std::vector<plan::Axis> axes_;
  std::vector<std::uint32_t> pairs_;
  std::optional<double> centre_, period_;  // where f64 has them
  std::vector<double> logs_;
  double greatest_log_ = 0;
  std::vector<std::optional<numerics::Approximation>> natural_logs_;
};

}  // namespace posenc
