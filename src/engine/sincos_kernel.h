// SPDX-License-Identifier: Apache-2.0
// The vector kernel behind exact tables: sines and cosines of many phases in f64, with an error bound.
#pragma once

#include <cstddef>
#include <cstdint>

namespace posenc::engine {

/// Phases, sines and cosines of one block. Lanes of no instruction set exceed it.
inline constexpr std::size_t block = 128;

/// phase[i] = multiple_of_turns(mantissa, shift, high[i], low[i]) of turns.h for i < count <= block; phase holds a
/// whole block.
void multiples_of_turns(std::uint64_t mantissa, int shift, const std::uint64_t* high, const std::uint64_t* low,
                        std::size_t count, std::uint64_t* phase);

/// sine[i] and cosine[i] of phase[i] / 2^64 turns for i < count <= block; the arrays hold a whole block, and what
/// follows the count is overwritten.
///
/// Error: below 2^-47 relative where the result is at least 2^-12 in size, when the phase is less than 2 units too
/// small. With e = 2^-52 for a rounding in any mode, fused or not: x carries 3 e and u = x^2 7 e. The sine is x less at
/// most 0.11 x of a series that carries 17 e, the cosine 1 less at most 0.44 of itself with 13 e: below 8 e = 2^-49
/// with the last sum. Two units of phase are 2^-60.3 radians, 2^-48.3 of 2^-12.
void sine_cosine_of_phases(const std::uint64_t* phase, std::size_t count, double* sine, double* cosine);

/// The same, rounded to T (float, half, bfloat16). doubts[0 .. the result) are the places where sine or cosine might
/// round otherwise, increasing; nothing is known of their values. All arrays hold a whole block, phase aligned to 64
/// bytes.
template <class T>
std::size_t rounded_sine_cosine(const std::uint64_t* phase, std::size_t count, T* sine, T* cosine,
                                std::uint16_t* doubts);

/// The instruction set in use, e.g. "AVX2".
const char* kernel_target();

}  // namespace posenc::engine
