// SPDX-License-Identifier: Apache-2.0
// Coefficients of pairs under a recipe where queries and keys differ.
#pragma once

#include <posenc/rotary.h>

#include "src/conventions/arithmetic.h"
#include "src/encodings/positions.h"
#include "src/engine/tables/angles.h"
#include "src/numerics/f32_power.h"
#include "src/plan/pair_plan.h"

namespace posenc {

/// A plan of one axis with a decay, and the recipe's ladder of that axis, made ready.
class StepTurns {
 public:
  StepTurns(const plan::PairPlan& plan, const Steps& steps, const StepLadder& ladder);

  /// As Turns::write_rows. A coefficient is NaN where its factor or its exponent is beyond f32.
  [[nodiscard]] bool write_rows(const Positions& positions, const RowRange& range, RotatedSide side, float* out,
                                std::int64_t stride) const;

 private:
  [[nodiscard]] bool write_factors(const numerics::Dyadic& p, RotatedSide side, float* factors) const;
  float decayed(float value, float factor, RotatedSide side) const;

  plan::PairPlan plan_;
  Steps steps_;
  StepLadder ladder_;
  std::vector<numerics::F32Power> powers_;  // of each z_k
};

}  // namespace posenc
