// SPDX-License-Identifier: Apache-2.0
// The vector kernel behind exact tables: sines and cosines of many phases in f64, with an error bound.
#pragma once

#include <cstddef>
#include <cstdint>

namespace posenc::engine {

/// Phases, sines and cosines of one block: whole vectors on every instruction set.
inline constexpr std::size_t block = 128;

/// sine[i] and cosine[i] of phase[i] / 2^64 turns for i < count <= block; the arrays hold a whole block, and what
/// follows the count is overwritten.
///
/// Error: below 2^-47 relative where the result is at least 2^-12 in size, when the phase is less than 2 units too
/// small. With e = 2^-52 for a rounding in any mode, fused or not: x carries 3 e and u = x^2 7 e. The sine is x less at
/// most 0.11 x of a series that carries 17 e, the cosine 1 less at most 0.44 of itself with 13 e: below 8 e = 2^-49
/// with the last sum and what the series leave out, 0.5 e. Two units of phase are 2^-60.3 radians, 2^-48.3 of 2^-12.
void sine_cosine_of_phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine);

/// Phases of many frequencies: number i is multiple_of_turns(mantissa, shift, high[i], low[i]) of phase.h, mantissa
/// below 2^32, shift below 64. For shift > 0 high and low are all of the turns.
struct TurnMultiples {
  std::uint64_t mantissa;
  int shift;
  const std::uint64_t *high, *low;
};

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

/// Those of at most `block` phases, rounded to T (float, half, bfloat16). doubts[0 .. the result) are the numbers of
/// those of which one might round otherwise, increasing; it holds a whole block.
template <class T>
std::size_t write_waves(const TurnMultiples& of, const Waves<T>& to, std::uint16_t* doubts);

/// The instruction set in use, e.g. "AVX2".
const char* kernel_target();

}  // namespace posenc::engine
