// SPDX-License-Identifier: Apache-2.0
// Matrix products where there is no oneDNN: the module for browsers. Sums are in f64, in the order of columns.
#include "src/transformer/kernels/product.h"

namespace posenc::kernels {

void product(const Matrix& left, const Matrix& right, Right form, float scale, float keep, float* out,
             std::int64_t out_stride) {
  const bool transposed = form == Right::transposed;
  const std::int64_t columns = transposed ? right.rows : right.columns;
  for (std::int64_t i = 0; i < left.rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < left.columns; ++k) {
        const float other = transposed ? right.data[j * right.stride + k] : right.data[k * right.stride + j];
        sum += static_cast<double>(left.data[i * left.stride + k]) * static_cast<double>(other);
      }
      float& to = out[i * out_stride + j];
      to = static_cast<float>(static_cast<double>(scale) * sum) + (keep == 0 ? 0 : keep * to);
    }
  }
}

}  // namespace posenc::kernels
