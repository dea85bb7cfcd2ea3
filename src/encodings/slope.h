// SPDX-License-Identifier: Apache-2.0
// Slopes of biases, and their products with distances, correctly rounded.
#pragma once

#include <posenc/convention.h>

#include "src/numerics/certain.h"

namespace posenc {

/// The real number 2^-e, e = octaves (h + 1) / P or octaves (2 (h - P) + 1) / (2P), kept as the binary fraction e.
///
/// 2^-e is a power of two where e is whole, and irrational elsewhere. So a product with a distance, which is a binary
/// fraction, is either one itself or never half-way between two numbers, and doubling the bits ends.
class Slope {
 public:
  Slope(const Bias& bias, std::int64_t head, std::int64_t heads);

  /// RN(slope).
  template <class T>
  T rounded() const {
    return certainly<T>(false, numerics::Wide(1), 0);
  }
  /// RN(-slope |q - k|).
  template <class T>
  T times_distance(const numerics::Dyadic& q, const numerics::Dyadic& k) const;

 private:
  bool whole() const { return fraction_.zero(); }
  /// +- slope distance 2^exponent with about `bits` bits.
  numerics::Enclosure enclose(bool negative, const numerics::Wide& distance, std::int64_t exponent,
                              std::int64_t bits) const;
  template <class T>
  T certainly(bool negative, const numerics::Wide& distance, std::int64_t exponent) const;
  numerics::Approximation quickly(const numerics::Dyadic& distance) const;

  std::int64_t octaves_;     // floor(e)
  numerics::Wide fraction_;  // (e - floor(e)) 2^point
  std::int64_t point_;
  numerics::Leading leading_;  // of the slope, less than 2 units too small
};

}  // namespace posenc
