// SPDX-License-Identifier: Apache-2.0
// Tables by symmetric pairs: the rows of equally spaced positions, one multiply-add an output, each entry exact.
//
// Entry (p, j) is sin(2 pi (p t_j + q_j)), t_j the turns of column j's frequency, q_j 0 for a sine and a quarter for a
// cosine: a column knows its phase, so no layout is known here. Y is the column a quarter of a turn ahead. With a
// centre row X, Y and the sine and cosine of n steps, two rows cost one multiplication and two multiply-adds:
//
//     X(n steps on or back) = X cos(n) +- Y sin(n)
//
// A block is a centre row with 8 rows either way. The centres of 17 blocks come in the same way from one far centre,
// which is evaluated directly, and so are the 2 x 8 sines and cosines.
#pragma once

#include <posenc/core.h>

#include <vector>

#include "src/engine/rungs.h"
#include "src/engine/stores.h"

namespace posenc::engine {

/// The columns of a row: leading 128 bits of the turns per position, and the phase at position 0.
struct Columns {
  std::vector<std::uint64_t> high, low;  // of t_j
  std::vector<std::uint64_t> quarter;    // 0 or 2^62, in 2^-64 turns
  std::vector<std::uint32_t> rung;       // the frequency's place in the ladder

  std::size_t size() const { return high.size(); }
  void push_back(const Rungs& rungs, std::size_t k, std::uint64_t phase);
};

inline constexpr std::uint64_t sine_phase = 0, cosine_phase = std::uint64_t{1} << 62;

/// The same columns over positions counted in units of 2^exponent.
Columns scaled(const Columns& columns, const Rungs& rungs, int exponent);

/// Equally spaced positions (start + i step) 2^exponent and the part of each row that is written. The columns are those
/// of that exponent.
struct Strip {
  std::int64_t start, step;
  int exponent;  // at most 0
  std::int64_t rows;
  std::size_t first, columns;  // at most tile_columns of them
};

/// Columns that one call of the kernel takes: what 34 rows touch of its scratch, 18 KiB of 42 in f32, stays
/// in the first-level cache.
inline constexpr std::size_t tile_columns = 64;

/// Does a strip of so many rows pay, and do its far centres stay inside int64?
bool strip_pays(std::int64_t start, std::int64_t step, std::int64_t rows);

/// out[row * stride + column - first] = RN(entry) for the rows and columns of the strip; T is float, half or bfloat16.
/// Streamed stores are in memory on return.
template <class T>
void write_strip(const Rungs& rungs, const Columns& columns, const Strip& strip, T* out, std::int64_t stride,
                 Stores stores);

}  // namespace posenc::engine
