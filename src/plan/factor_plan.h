// SPDX-License-Identifier: Apache-2.0
// Factors of queries: a logarithm of a position.
#pragma once

#include "src/numerics/real.h"

namespace posenc::plan {

/// Of u = (p + origin) / every: 1 + gain ln(1 + floor(u)), or 1 for u <= 1 and ln(p + origin) / over beyond.
struct FactorPlan {
  enum class Form : std::uint8_t { steps = 1, ratio };
  Form form;
  numerics::Rational origin, every;
  numerics::Real gain, over;  ///< one each
  friend bool operator==(const FactorPlan&, const FactorPlan&) = default;
};

}  // namespace posenc::plan
