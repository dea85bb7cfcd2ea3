// SPDX-License-Identifier: Apache-2.0
// Rows brought to mean 0 and variance 1, then weighted: in f64 lanes.
#pragma once

#include <cstdint>

namespace posenc::kernels {

/// to[c] = (from[c] - mean) / sqrt(variance + epsilon) weight[c] + bias[c] over a row of `width`; bias may be null, and
/// `to` may be `from`.
///
/// Mean and variance come from one pass: sums of from[c] - from[0] and of its square, which loses at most log2(width)
/// of the 53 bits. Each output is rounded once.
void normal_row(const float* from, std::int64_t width, const float* weight, const float* bias, double epsilon,
                float* to);

}  // namespace posenc::kernels
