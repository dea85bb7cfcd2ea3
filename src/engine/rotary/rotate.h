// SPDX-License-Identifier: Apache-2.0
// Rotations: pairs of columns of many rows, turned by the same cosines and sines.
//
// A row of pairs (x_k, y_k) becomes
//
//     x' = RN(RN(x c) - RN(y s))      y' = RN(RN(x s) + RN(y c))
//
// in f32, never fused, so that every instruction set gives the same bits; bf16 and f16 are widened first and rounded
// once at the end.
#pragma once

#include <posenc/core.h>

#include "src/base/elements.h"

#include <span>

namespace posenc::engine {

/// Where the columns of pair k stand, n being the number of pairs.
enum class Pairs : std::uint8_t {
  adjacent = 1,  ///< 2k, 2k + 1
  split_half,    ///< k, k + n
};

/// Cosines and sines of consecutive rows: those of row t, pair k, stand at t * stride + k. The kernel may read, not
/// use, `slack` floats behind the last.
struct Angles {
  const float *cosine, *sine;
  std::int64_t stride;
  std::int64_t rows, pairs;

  static constexpr std::int64_t slack = 32;
};

/// Elements that lie next to each other in rows: those of line l, row t, begin at l * line + t * row.
template <class T>
struct Strided {
  T* data;
  std::int64_t line, row;
};

/// `count` lines (heads, sequences) of Angles::rows rows each. The first 2 * pairs columns are turned, the rest of
/// `width` copied. `out` is `in`, or does not overlap it.
template <class T>
struct Lines {
  Strided<const T> in;
  Strided<T> out;
  std::int64_t count, width;
};

/// Turns the lines of all runs, no output of which is another's. T is float, half or bfloat16.
template <class T>
using RotateLines = void(const Angles& angles, Pairs pairs, std::span<const Lines<T>> runs);

/// Those of the instruction set in use.
const ByType<RotateLines>& rotary_kernels();

template <class T>
void rotate(const Angles& angles, Pairs pairs, std::span<const Lines<T>> runs) {
  rotary_kernels().of<T>()(angles, pairs, runs);
}

}  // namespace posenc::engine
