// SPDX-License-Identifier: Apache-2.0
// Slopes of biases, and their products with distances, correctly rounded.
#pragma once

#include <optional>

#include "src/numerics/evaluate.h"
#include "src/numerics/phase.h"

namespace posenc {

/// A slope made ready: the real number, its leading 128 bits, and the nearest f64.
///
/// Nothing is returned where 2^15 bits do not settle a rounding. That does not happen to ALiBi's slopes: 2^-e is a
/// power of two where e is whole, and irrational and algebraic elsewhere, and so is its product with a distance.
class Slope {
 public:
  explicit Slope(const numerics::Real& slope);

  /// RN(slope).
  template <class T>
  std::optional<T> rounded() const {
    return numerics::rounded<T>(slope_);
  }
  /// RN(slope) to f64 where kernels take it, 2^-512 to 2^512 in size; otherwise 0.
  double nearest() const { return nearest_; }
  /// What is left of the slope then, rounded in turn.
  double rest() const { return rest_; }
  /// From the highest to the lowest bit of the nearest f64, where that is the slope; nothing where it is not.
  std::optional<int> bits() const { return bits_; }
  /// RN(slope (a - b)); of equal numbers +0.
  template <class T>
  std::optional<T> times_difference(const numerics::Dyadic& a, const numerics::Dyadic& b) const;
  /// RN(-slope |a - b|); of equal numbers +0.
  template <class T>
  std::optional<T> times_distance(const numerics::Dyadic& a, const numerics::Dyadic& b) const;

 private:
  template <class T>
  std::optional<T> times(const numerics::Dyadic& factor) const;
  template <class T>
  std::optional<T> in_f64(const numerics::Dyadic& factor) const;
  template <class T>
  std::optional<T> in_128_bits(const numerics::Dyadic& factor) const;

  numerics::Real slope_;
  std::optional<numerics::Approximation> leading_;  // nothing: only the certain path is taken
  double nearest_;                                  // 0: f64 is not tried
  double rest_ = 0;
  std::optional<int> bits_;
};

}  // namespace posenc
