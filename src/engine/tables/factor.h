// SPDX-License-Identifier: Apache-2.0
// A number that every wave is multiplied by, made ready for the engine.
#pragma once

#include <tuple>

#include "src/numerics/sine_cosine.h"

namespace posenc::engine {

/// Kernels take factors of 2^-8 to 2^2 in size: what is below keeps more of the error bounds (sines.h), and the entries
/// of every type stay normal, or are in doubt.
inline constexpr int least_factor = -8, greatest_factor = 2;

struct Factor {
  numerics::Scale exact;
  double nearest;                                // RN
  double rest;                                   // what that leaves, within 2^-104 of the factor
  int exponent;                                  // 2^(exponent - 1) < |nearest| <= 2^exponent
  std::tuple<float, double, half, bfloat16> in;  // RN of each type

  template <class T>
  T as() const {
    return std::get<T>(in);
  }
  bool negative() const { return nearest < 0; }
};

/// Nothing where kernels do not take it or 2^15 bits do not settle it.
std::optional<Factor> factor(const numerics::Real& scale);

}  // namespace posenc::engine
