// SPDX-License-Identifier: Apache-2.0
// Factors of queries: a logarithm of a position.
#pragma once

#include "src/numerics/real.h"

namespace posenc::plan {

/// With u = (p + origin) / every, steps: 1 + gain ln(1 + floor(u)); else 1 + gain ln(max(u, 1)), for which ratio writes
/// ln(p + origin) / over, over = ln(every) = 1 / gain.
struct FactorPlan {
  enum class Form : std::uint8_t { steps = 1, ratio, clamp };
  Form form;
  numerics::Rational origin, every;
  numerics::Real gain, over;  ///< `over` is 1 where the form does not divide

  bool by_steps() const { return form == Form::steps; }
  friend bool operator==(const FactorPlan&, const FactorPlan&) = default;
};

}  // namespace posenc::plan
