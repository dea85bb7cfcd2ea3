// SPDX-License-Identifier: Apache-2.0
// Powers of one number of f32, each rounded to f32: near in f64, and certain where that does not tell.
#pragma once

#include <optional>

namespace posenc::numerics {

/// x to RN(z^x). NaN where z is not positive and finite, or x not finite; nothing where 2^15 bits do not settle it.
class F32Power {
 public:
  explicit F32Power(float z);
  std::optional<float> operator()(float x) const;

 private:
  float z_;
  double log_;  // ln z, off by less than 2^-49 of itself
};

}  // namespace posenc::numerics
