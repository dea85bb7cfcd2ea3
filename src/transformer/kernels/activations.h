// SPDX-License-Identifier: Apache-2.0
// What follows a product of matrices, element by element: a bias and an activation, in f32 lanes.
#pragma once

#include <cstdint>

namespace posenc::kernels {

/// none: x. relu: max(x, 0). gelu: x Phi(x). gelu_tanh: x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3).
enum class Curve : std::uint8_t { none, relu, gelu, gelu_tanh };

/// data[i, c] = curve(data[i, c] + bias[c]) for `rows` rows, `stride` apart; bias may be null.
///
/// Errors beside that of the sum: gelu at most 2^-23 max(1, |x|), gelu_tanh 2^-22 max(1, |x|), both at most 2^-21 |x|.
/// NaN stays NaN.
void finish_rows(Curve curve, const float* bias, std::int64_t rows, std::int64_t columns, float* data,
                 std::int64_t stride);

/// log of the sum of exp(row[c]), the sum in f64. Error at most 2^-22, beside what the largest |row[c] - maximum| that
/// counts adds: 2^-24 of it. -inf and NaN count nothing; a row of nothing else gives -inf.
double log_sum_exp(const float* row, std::int64_t count);

}  // namespace posenc::kernels
