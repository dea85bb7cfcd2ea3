// SPDX-License-Identifier: Apache-2.0
// What is made of tanh, in f32 lanes: a recurrent cell from the sums before it, and additive scores of a block of
// queries and a block of keys.
#pragma once

#include <cstdint>

namespace posenc::kernels {

/// state[c] = tanh(sums[c]) for c < width. Relative error below 2^-21; NaN stays NaN. `sums` and `state` have room for
/// widest_lanes (softmax.h) more elements, which may be read and written.
void rnn_cell(const float* sums, std::int64_t width, float* state);

/// With i, f, g, o the parts of sums [4 width]: memory = s(f) memory + s(i) tanh(g), state = s(o) tanh(memory), where
/// s(x) = 1 / (1 + exp(-x)) with an absolute error below 2^-22. Room as for rnn_cell, of memory, too.
void lstm_cell(const float* sums, std::int64_t width, float* memory, float* state);

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
