// SPDX-License-Identifier: Apache-2.0
// Matrix products in f32, by oneDNN but for single rows, on the calling thread alone.
#pragma once

#include <cstdint>

namespace posenc::kernels {

/// Row-major: element [i, j] stands at data + i stride + j.
struct Matrix {
  const float* data;
  std::int64_t rows, columns, stride;
};

/// Whether `right` is multiplied as it stands or transposed.
enum class Right : std::uint8_t { as_it_is, transposed };

/// out = scale left right + keep out, `out` row-major of left.rows rows, `out_stride` apart. Sums are in any order;
/// keep 0 reads nothing of out. Strides are at least a row's columns. Why oneDNN: docs/design.md, measured by
/// bench/products.sh.
void product(const Matrix& left, const Matrix& right, Right form, float scale, float keep, float* out,
             std::int64_t out_stride);

}  // namespace posenc::kernels
