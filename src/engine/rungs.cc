// SPDX-License-Identifier: Apache-2.0
// Ladders made ready for the engine.
#include "src/engine/rungs.h"

namespace posenc::engine {
namespace {

Rungs with_columns(Rungs rungs) {
  for (const numerics::Turn& turn : rungs.turns) {
    rungs.moderate = rungs.moderate && turn.exponent <= 64;
    rungs.fractional = rungs.fractional && turn.exponent <= 0;
    const numerics::uint128 fraction = turn.exponent <= 64 ? numerics::fraction128(turn) : 0;
    rungs.high.push_back(static_cast<std::uint64_t>(fraction >> 64));
    rungs.low.push_back(static_cast<std::uint64_t>(fraction));
  }
  return rungs;
}

}  // namespace

Rungs geometric_rungs(double first, double base, std::uint64_t step_numerator, std::uint64_t step_denominator,
                      std::size_t count) {
  Rungs rungs;
  rungs.turns.resize(count);
  numerics::geometric_turns(first, base, step_numerator, step_denominator, rungs.turns);
  for (std::size_t k = 0; k < count; ++k)
    rungs.frequencies.push_back({first, base, k * step_numerator, step_denominator});
  return with_columns(std::move(rungs));
}

Rungs listed_rungs(std::span<const double> frequencies) {
  Rungs rungs;
  for (const double w : frequencies) {
    rungs.frequencies.push_back({.first = w});
    rungs.turns.push_back(numerics::turn({.first = w}));
  }
  return with_columns(std::move(rungs));
}

}  // namespace posenc::engine
