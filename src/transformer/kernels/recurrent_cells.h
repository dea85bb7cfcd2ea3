// SPDX-License-Identifier: Apache-2.0
// What a recurrent cell does to the sums before it, in f32 lanes.
#pragma once

#include <cstdint>

namespace posenc::kernels {

/// state[c] = tanh(sums[c]) for c < width. Relative error below 2^-21; NaN stays NaN. `sums` and `state` have room for
/// widest_lanes (softmax.h) more elements, which may be read and written.
void rnn_cell(const float* sums, std::int64_t width, float* state);

/// With i, f, g, o the parts of sums [4 width]: memory = s(f) memory + s(i) tanh(g), state = s(o) tanh(memory), where
/// s(x) = 1 / (1 + exp(-x)) with an absolute error below 2^-22. Room as for rnn_cell, of memory, too.
void lstm_cell(const float* sums, std::int64_t width, float* memory, float* state);

}  // namespace posenc::kernels
