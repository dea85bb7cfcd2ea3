// SPDX-License-Identifier: Apache-2.0
// Rotations of any plan, pair by pair: several axes, two angles a pair, other columns written than read, magnitudes,
// decays. Each coefficient is a real number rounded once to f32, or under a recipe RN(RN(m) c) of its waves; no kernel
// turns pairs.
#pragma once

#include <posenc/rotary.h>

#include "src/base/elements.h"
#include "src/conventions/arithmetic.h"
#include "src/conventions/lower.h"
#include "src/encodings/angle_waves.h"
#include "src/encodings/decays.h"
#include "src/plan/pair_plan.h"

namespace posenc {

/// (u, v) becomes (RN(RN(u c0) - RN(v s0)), RN(RN(u s1) + RN(v c1))), all in f32.
struct Turn {
  float c0, s0, s1, c1;
};

/// Do the roundings of a recipe give every coefficient: each angle of one axis of plain coordinates, and no decay?
bool steps_serve(const plan::PairPlan& plan);
/// RN(m) of the cosines and sines of a recipe; NaN where it was not settled.
float step_magnitude(const plan::PairPlan& plan);

/// The pairs of a rotation under a recipe, which keep their checks.
plan::PairPlan pairs_under(const Recipe& recipe, const Convention& rotary, const LoweredFor& given);
/// The recipe's ladder of each axis, with the magnitude of its waves; none under exact.
std::vector<StepLadder> ladders_under(const Recipe& recipe, const plan::PairPlan& pairs, const Convention& rotary,
                                      const LoweredFor& given);

/// A pair plan made ready.
class Turns {
 public:
  explicit Turns(const plan::PairPlan& plan);
  /// Under a recipe that is not exact; `ladders` of each axis. Of a plan that steps_serve.
  Turns(const plan::PairPlan& plan, const Steps& steps, std::vector<StepLadder> ladders);
  const plan::PairPlan& plan() const { return plan_; }

  /// The turn of every pair at a place whose coordinates are all present. False where a coefficient was not settled.
  [[nodiscard]] bool at(Place place, Side side, std::span<Turn> turns) const;

  /// A row of `width` columns; `in` and `out` may be the same row. Columns that no pair writes are copied. Inverse: the
  /// transposed map, which reads what the other one writes.
  template <class T>
  void write_row(std::span<const Turn> turns, Direction direction, const StridedRow<const T>& in,
                 const StridedRow<T>& out, std::int64_t width) const;

  /// Every row of the tensors by the coordinates of its token, a list an axis. False where a coefficient was not
  /// settled.
  [[nodiscard]] bool rotate(std::span<const Positions> coordinates, std::span<const Rotated> tensors,
                            Direction direction, const Executor& executor) const;

 private:
  struct Listed;
  Turns(const plan::PairPlan& plan, Listed listed);
  bool decayed(Place place, Side side, const engine::Waves<float>& to) const;
  bool at_steps(Place place, std::span<Turn> turns) const;

  plan::PairPlan plan_;
  std::vector<std::array<std::uint32_t, 2>> angle_of_;  // both of each pair, as places among the angles
  AngleWaves angles_;                                   // each once, or under a decay once a pair
  std::optional<Decays> decays_;
  std::optional<Steps> steps_;
  std::vector<StepLadder> step_ladders_;
  float step_magnitude_ = 1;
};

}  // namespace posenc
