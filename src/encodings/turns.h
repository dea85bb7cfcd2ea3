// SPDX-License-Identifier: Apache-2.0
// Coefficients of any pair plan, entry by entry: several axes, two angles a pair, magnitudes, decays. Each is a real
// number rounded once to f32. And what rotations under a recipe share.
#pragma once

#include <posenc/rotary.h>

#include "src/conventions/arithmetic.h"
#include "src/conventions/lower.h"
#include "src/encodings/angle_waves.h"
#include "src/encodings/decays.h"
#include "src/encodings/entries.h"
#include "src/encodings/positions.h"
#include "src/plan/pair_plan.h"

namespace posenc {

/// (u, v) becomes (RN(RN(u c0) - RN(v s0)), RN(RN(u s1) + RN(v c1))), all in f32.
struct Turn {
  float c0, s0, s1, c1;
};

/// Do the roundings of a recipe give every coefficient: of plain coordinates, each angle of one axis or each the sum of
/// all, and no decay of pairs but where the recipe says its roundings?
bool steps_serve(const plan::PairPlan& plan, const Steps& steps);
/// They do under a recipe that is not exact, or the problem, which names recipes under which they do. Of what
/// check_made lets pass.
[[nodiscard]] std::optional<Problem> check_step_pairs(std::string_view operation, const Convention& rotary,
                                                      const LoweredFor& given, const Recipe& recipe);
/// RN(m) of the cosines and sines of a recipe; NaN where it was not settled.
float step_magnitude(const plan::PairPlan& plan);

/// The pairs of a rotation under a recipe, which keep their checks.
plan::PairPlan pairs_under(const Recipe& recipe, const Convention& rotary, const LoweredFor& given);
/// The ladder of each axis of a recipe of steps, with the magnitude of its waves; none of another.
std::vector<StepLadder> ladders_under(const Recipe& recipe, const plan::PairPlan& pairs, const Convention& rotary,
                                      const LoweredFor& given);

/// The coefficients of a pair plan, made ready.
class Turns {
 public:
  explicit Turns(const plan::PairPlan& plan);
  const plan::PairPlan& plan() const { return plan_; }

  /// The turn of every pair at a place whose coordinates are all present. False where a coefficient was not settled.
  [[nodiscard]] bool at(Place place, RotatedSide side, std::span<Turn> turns) const;

  /// Those of place i of the range to out + i * stride: [c0 | s0] of all pairs, or [c0 | s0 | s1 | c1] where a pair has
  /// two angles.
  [[nodiscard]] bool write_rows(std::span<const Positions> coordinates, const RowRange& range, RotatedSide side,
                                float* out, std::int64_t stride) const;

 private:
  struct Listed;
  Turns(const plan::PairPlan& plan, Listed listed);
  bool decayed(Place place, RotatedSide side, const engine::Waves<float>& to) const;

  plan::PairPlan plan_;
  std::vector<std::array<std::uint32_t, 2>> angle_of_;  // both of each pair, as places among the angles
  AngleWaves angles_;                                   // each once, or under a decay once a pair
  std::optional<Decays> decays_;
};

}  // namespace posenc
