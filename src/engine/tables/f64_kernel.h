// SPDX-License-Identifier: Apache-2.0
// Sines and cosines rounded to f64 in vector lanes: blocks of phases, and strips of tables.
#pragma once

#include "src/engine/tables/factor.h"
#include "src/engine/tables/sincos_kernel.h"
#include "src/engine/tables/table_kernel.h"

namespace posenc::engine {

/// Phases of one block, 2^-128 turns their unit.
struct WidePhases {
  alignas(64) std::uint64_t high[block], low[block];
  WidePhases() {}
  void set(std::size_t i, numerics::uint128 phase) {
    high[i] = static_cast<std::uint64_t>(phase >> 64);
    low[i] = static_cast<std::uint64_t>(phase);
  }
};

/// RN of the sines and cosines of to.sines <= block phases, which are off by less than so many units either way, times
/// the factor (none: 1). What follows those phases is overwritten. doubts: WriteWaves.
using WriteWideWaves = std::size_t(WidePhases& of, double units, const Factor* factor, const Waves<double>& to,
                                   std::uint16_t* doubts);

/// Those of the instruction set in use, or none: without fused multiply-adds f64 is made entry by entry.
struct F64Kernels {
  WriteWideWaves* write = nullptr;
  StripWriter<double>* write_strip = nullptr;
};
const F64Kernels& f64_kernels();

}  // namespace posenc::engine
