// SPDX-License-Identifier: Apache-2.0
// Rotations of pairs that stand anywhere in a row, by four coefficients a pair.
//
// A pair (u, v) of the columns that it reads becomes
//
//     u' = RN(RN(u c0) - RN(v s0))      v' = RN(RN(u s1) + RN(v c1))
//
// in those that it writes, in f32 and never fused; bf16 and f16 are widened first and rounded once at the end.
#pragma once

#include "src/engine/rotary/rotate.h"
#include "src/plan/pair_plan.h"

namespace posenc::engine {

/// Those of consecutive rows: of row t, pair k, at t * stride + k. Where all pairs turn by one angle, s1 is s0 and c1
/// is c0. The kernel may read, not use, Angles::slack floats behind the last.
struct Coefficients {
  const float *c0, *s0, *s1, *c1;
  std::int64_t stride, rows;
};

/// Turns the lines of all runs, no output of which is another's; columns that no pair writes are copied.
template <class T>
using TurnPlaced = void(const Coefficients& by, const plan::Placement& placed, std::span<const Lines<T>> runs);

/// Those of the instruction set in use.
const ByType<TurnPlaced>& turn_kernels();

template <class T>
void turn(const Coefficients& by, const plan::Placement& placed, std::span<const Lines<T>> runs) {
  turn_kernels().of<T>()(by, placed, runs);
}

}  // namespace posenc::engine
