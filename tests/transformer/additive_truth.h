// SPDX-License-Identifier: Apache-2.0
// Additive scores in plain f64 loops, and how far the computed ones may be (additive.h).
#pragma once

#include <posenc/transformer/additive.h>

#include "tests/transformer/attention_truth.h"

namespace posenc::plain {

inline double number(const ConstView& vector, std::int64_t i) {
  return static_cast<double>(static_cast<const float*>(vector.data)[i * vector.stride(0)]);
}
inline double number(const ConstView& matrix, std::int64_t i, std::int64_t j) {
  return static_cast<double>(static_cast<const float*>(matrix.data)[i * matrix.stride(0) + j * matrix.stride(1)]);
}

/// A number and how far the computed one may be.
struct Bounded {
  double value = 0, error = 0;
};

/// Output `c` of a linear map of `row` [n].
inline Bounded mapped(const Linear& map, const ConstView& row, std::int64_t c) {
  double sum = map.bias ? number(*map.bias, c) : 0, size = std::abs(sum);
  for (std::int64_t j = 0; j < row.size(0); ++j) {
    const double term = number(map.weight, c, j) * number(row, j);
    sum += term;
    size += std::abs(term);
  }
  return {sum, static_cast<double>(row.size(0) + 2) * half_ulp * size};
}

/// The row [n] at leading indices (b, i) of a tensor of three axes.
inline ConstView row_at(const ConstView& tensor, std::int64_t b, std::int64_t i) {
  const float* data = static_cast<const float*>(tensor.data) + b * tensor.stride(0) + i * tensor.stride(1);
  ConstView row = {data, DType::f32, 1, {tensor.size(2)}, {tensor.stride(2)}};
  return row;
}

inline Scored additive_score(const Additive& weights, const ConstView& query, const ConstView& key) {
  const std::int64_t width = weights.direction.size(0);
  double sum = 0, size = 0, error = 0;
  for (std::int64_t c = 0; c < width; ++c) {
    const Bounded u = mapped(weights.query, query, c), p = mapped(weights.key, key, c);
    const double tangent = std::tanh(u.value + p.value), v = number(weights.direction, c);
    sum += v * tangent;
    size += std::abs(v * tangent);
    // The slope of tanh is at most 1. Both biases are added to the query's side, with a rounding each.
    const double biases =
        3 * (std::abs(u.value) + std::abs(p.value) + (weights.key.bias ? std::abs(number(*weights.key.bias, c)) : 0));
    error += std::abs(v) * (u.error + p.error + half_ulp * biases + 8 * half_ulp * std::abs(tangent));
  }
  return {sum, error + static_cast<double>(width + 1) * half_ulp * size};
}

}  // namespace posenc::plain
