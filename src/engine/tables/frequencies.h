// SPDX-License-Identifier: Apache-2.0
// A ladder made ready for the engine: the size of every frequency as 256 bits of turns, and the top of it by columns.
#pragma once

#include <posenc/core.h>

#include <vector>

#include "src/base/elements.h"
#include "src/engine/tables/factor.h"
#include "src/plan/ladder.h"

namespace posenc::engine {

struct Rungs {
  plan::Ladder ladder;                           // asked for an entry by the certain path alone
  std::vector<numerics::Turn> turns;             // of |w|
  std::vector<std::uint8_t> negative;            // is w < 0? Empty: none is
  std::vector<numerics::QuarterTurns> quarters;  // of |w|. Empty: no w is 0 or a rational multiple of pi
  // The leading 128 bits of the fraction of |w| / 2 pi: enough to place any int64 position within 2^-63 turns. Zeros
  // follow, up to whole blocks.
  std::vector<std::uint64_t> high, low;
  bool moderate = true;          // no w has 2^64 turns or more; otherwise only the turns are used
  bool fractional = true;        // no w has a whole turn or more, so that high and low are all of it
  std::optional<Factor> factor;  // of every wave; none: 1. No w is 0 then

  std::size_t size() const { return turns.size(); }
  bool is_negative(std::size_t k) const { return !negative.empty() && negative[k] != 0; }
};

/// Nothing where 2^15 bits do not tell a frequency from 0, or kernels do not take the scale.
std::optional<Rungs> rungs_of(const plan::Ladder& ladder, const numerics::Real& scale = 1);

/// The rungs of some entries, selected from those of the whole ladder.
Rungs only(const std::vector<std::uint32_t>& entries, const Rungs& whole);

/// RN(c sin(|p| |w_k|)) and RN(c cos(p w_k)), c the factor; nothing where 2^15 bits do not settle them.
template <class T>
std::optional<numerics::Pair<T>> certain_pair(const Rungs& rungs, std::size_t k, const numerics::Dyadic& p);

/// The wave at angle 0 that starts at `quarters` of a turn: sin and -sin are +0.
template <class T>
T at_zero(const Rungs& rungs, unsigned quarters) {
  if (quarters % 2 == 0) return T(0.0f);
  const T one = rungs.factor ? rungs.factor->as<T>() : T(1.0f);
  return quarters == 1 ? one : negated(one);
}

}  // namespace posenc::engine
