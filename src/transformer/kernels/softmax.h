// SPDX-License-Identifier: Apache-2.0
// Softmax over scores that come in tiles: a running maximum and sum, and the factor that brings what is already
// accumulated to the new maximum.
#pragma once

#include <cstdint>

namespace posenc::kernels {

/// Scores of `rows` queries by `columns` keys, row i at scores + i stride, and what is done to them first. They become
/// weights in place.
struct ScoreTile {
  float* scores;
  std::int64_t stride;  // columns rounded up to a multiple of widest_lanes, or more
  std::int64_t rows, columns;
  std::int64_t seen, more;  // row i sees the first seen + i more columns, cut to [0, columns]; `more` is 0 or 1
  const float* mask;        // added, null where there is none: row i, column c is mask[i mask_row + c mask_column]
  std::int64_t mask_row, mask_column;  // mask_column is 0 or 1
  float slope;                         // -slope |distance + i - column| is added
  std::int64_t distance;               // of column 0 from row 0
};

inline constexpr std::int64_t widest_lanes = 16;

/// One step, row by row: with x the scores after slope and mask, m the larger of maximum[i] and all x that are seen,
/// the scores become exp(x - m), and 0 where they are not seen; maximum[i] becomes m, factor[i] = exp(before - m), and
/// sum[i] becomes sum[i] factor[i] + the new weights. Begin with maximum -inf and sum 0.
///
/// A row that has seen nothing but -inf keeps maximum -inf and sum 0. A NaN or +inf among the x makes the sum NaN.
/// exp(x - m) has a relative error below (3 + 2.25 |x - m|) 2^-24, and is 0 below 2^-126; exp(0) is 1.
void softmax_step(const ScoreTile& tile, float* maximum, float* sum, float* factor);

/// out[i, :] *= factor[i] for rows of `columns` that lie next to each other.
void multiply_rows(const float* factor, std::int64_t rows, std::int64_t columns, float* out);

/// to[c] = from[c] / divisor, or 0 where the divisor is 0; `to` may be `from`.
void divide_row(const float* from, float divisor, std::int64_t columns, float* to);

}  // namespace posenc::kernels
