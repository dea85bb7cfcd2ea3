// SPDX-License-Identifier: Apache-2.0
// The vector kernel behind exact tables: sines and cosines of many phases in f64, with an error bound.
#pragma once

#include <algorithm>
#include <span>

#include "src/base/elements.h"

namespace posenc::engine {

/// Phases, sines and cosines of one block: whole vectors on every instruction set.
inline constexpr std::size_t block = 128;

/// sine[i] and cosine[i] of phase[i] / 2^64 turns for i < count <= block; the arrays hold a whole block, and what
/// follows the count is overwritten. Error: sines.h, for phases that are less than 2 units too small.
using WavesOfPhases = void(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine);

/// Phases of many frequencies: number i is multiple_of_turns(mantissa, shift, high[i], low[i]) of phase.h, mantissa
/// below 2^32, shift below 64. For shift > 0 high and low are all of the turns.
struct TurnMultiples {
  std::uint64_t mantissa;
  int shift;
  const std::uint64_t *high, *low;
};
/// Of 1: phases that stand in `high`.
inline constexpr std::uint64_t no_low[block] = {};

/// Where sines and cosines of a row go: number i of each to sine[i * step] and cosine[i * step]. Step 2: to every other
/// place, cosine being sine + 1. Otherwise 1.
template <class T>
struct Waves {
  T *sine, *cosine;
  std::size_t sines, cosines;  // not more cosines than sines
  std::size_t step;

  void put(std::size_t i, T s, T c) const {
    sine[i * step] = s;
    if (i < cosines) cosine[i * step] = c;
  }
};

/// Numbers first .. first + block of a row.
template <class T>
Waves<T> block_of(const Waves<T>& row, std::size_t first) {
  const auto left = [&](std::size_t count) { return std::min(block, count - std::min(first, count)); };
  return {row.sine + first * row.step, row.cosine + first * row.step, left(row.sines), left(row.cosines), row.step};
}

/// Those of at most `block` phases, rounded to T (float, half, bfloat16). doubts[0 .. the result) are the numbers of
/// those of which one might round otherwise, increasing; it holds a whole block.
template <class T>
using WriteWaves = std::size_t(const TurnMultiples& of, const Waves<T>& to, std::uint16_t* doubts);

/// Multiples that are added to phases, those below 0 by their size: number i is subtracted where signs[i] ^ sign is all
/// ones; none of either stands for zeros. Arrays hold a whole block.
struct SignedMultiples {
  TurnMultiples of;
  const std::uint64_t* signs = nullptr;
  std::uint64_t sign = 0;
};
/// Phases start[i] + the multiples. Arrays hold a whole block.
struct TurnSums {
  const std::uint64_t* start;
  std::span<const SignedMultiples> terms;
};
/// What all waves are multiplied by. From 2^smallest on products keep the bound (sines.h); of powers, waves do.
struct WaveFactor {
  double factor;
  int smallest;
};
/// The same times 2^(logs[i] times) each, for a whole block. Exponents are at most 64 in size, others give no number
/// that is right. The bound is for exponents that are off by 2^-45.
struct WavePowers {
  WaveFactor all;
  const double* logs;
  double times;
};
/// WriteWaves of multiples whose arrays hold a whole block, and of sums, times their factors.
template <class T>
using WriteScaled = std::size_t(const TurnMultiples& of, const WaveFactor& by, const Waves<T>& to,
                                std::uint16_t* doubts);
template <class T>
using WriteWaveSums = std::size_t(const TurnSums& of, const WaveFactor& by, const Waves<T>& to, std::uint16_t* doubts);
using WriteWavePowers = std::size_t(const TurnSums& of, const WavePowers& by, const Waves<float>& to,
                                    std::uint16_t* doubts);

struct SincosKernels {
  WavesOfPhases* of_phases;
  ByType<WriteWaves> write;
  ByType<WriteScaled> write_scaled;
  ByType<WriteWaveSums> write_sums;
  WriteWavePowers* write_powers;
  std::int64_t target;
};
/// Those of the instruction set in use.
const SincosKernels& sincos_kernels();
/// Its name, e.g. "AVX2".
const char* kernel_target();

}  // namespace posenc::engine
