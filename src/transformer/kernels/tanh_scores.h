// SPDX-License-Identifier: Apache-2.0
// Additive scores of a block of queries and a block of keys.
#pragma once

#include <cstdint>

namespace posenc::kernels {

/// Projected queries, row i at queries + i width, and projected keys, column j of `width` rows that are key_stride
/// apart. Keys and scores have whole vectors of widest_lanes (softmax.h) columns, whatever stands in the last of them.
struct TanhScores {
  const float* queries;
  std::int64_t rows, width;
  const float* direction;  // [width]
  const float* keys;
  std::int64_t key_stride, columns;
  float* scores;
  std::int64_t stride;
};

/// scores[i, j] = sum over c of direction[c] tanh(queries[i, c] + keys[c, j]).
///
/// |error| <= (width + 10) 2^-24 sum |direction|: tanh is off by less than 2^-21 of itself, where its argument is
/// rounded.
void tanh_scores(const TanhScores& block);

}  // namespace posenc::kernels
