// SPDX-License-Identifier: Apache-2.0
// Sines and cosines of a position, times the factors of its pairs: an operation of f32 each.
#include "src/encodings/step_turns.h"

#include "src/base/scratch.h"
#include "src/encodings/recipe_waves.h"

namespace posenc {

StepTurns::StepTurns(const plan::PairPlan& plan, const Steps& steps, const StepLadder& ladder)
    : plan_(plan), steps_(steps), ladder_(ladder) {
  for (const double z : ladder_.decay->factors) powers_.emplace_back(static_cast<float>(z));
}

bool StepTurns::write_factors(const numerics::Dyadic& p, RotatedSide side, float* factors) const {
  const StepDecay& decay = *ladder_.decay;
  const float x = (numerics::round<float>(p) - static_cast<float>(decay.centre)) / static_cast<float>(decay.period);
  const bool inverse = side == RotatedSide::key && steps_.decay == DecayBy::reciprocal;
  bool decided = true;
  for (std::size_t k = 0; k < plan_.pairs.size(); ++k) {
    const std::optional<float> factor = powers_[k](x);
    decided &= factor.has_value();
    factors[k] = inverse ? 1 / factor.value_or(1) : factor.value_or(1);
  }
  return decided;
}

float StepTurns::decayed(float value, float factor, RotatedSide side) const {
  const bool over = side == RotatedSide::key && steps_.decay == DecayBy::quotient;
  return over ? value / factor : value * factor;
}

bool StepTurns::write_rows(const Positions& positions, const RowRange& range, RotatedSide side, float* out,
                           std::int64_t stride) const {
  const std::size_t n = plan_.pairs.size(), frequencies = ladder_.entries.size();
  const bool two_angles = !plan::turns_by_one_angle(plan_);
  const float sign = plan_.turning == plan::Turning::backward ? -1.0f : 1.0f;
  const Scratch<float> scratch(n + 2 * frequencies);
  float *const factors = scratch.data(), *const sine = factors + n, *const cosine = sine + frequencies;
  bool decided = true;
  for (std::int64_t i = 0; i < range.count; ++i, out += stride) {
    const numerics::Dyadic p = position_at(positions, range.b, range.first + i);
    decided &= write_factors(p, side, factors);
    decided &= recipe_waves<float>(steps_, ladder_, p, {sine, cosine, frequencies, frequencies, 1});
    for (std::size_t k = 0; k < n; ++k) {
      const auto put = [&](const plan::Angle& angle, float* c, float* s) {
        const bool stands = angle.axis == plan::no_axis;
        *c = decayed(stands ? 1 : cosine[angle.frequency], factors[k], side);
        *s = sign * decayed(stands ? 0 : sine[angle.frequency], factors[k], side);
      };
      put(plan_.pairs[k].angles[0], out + k, out + n + k);
      if (two_angles) put(plan_.pairs[k].angles[1], out + 3 * n + k, out + 2 * n + k);
    }
  }
  return decided;
}

}  // namespace posenc
