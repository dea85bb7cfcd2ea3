// SPDX-License-Identifier: Apache-2.0
// Matrix products by oneDNN, but for single rows.
#include "src/transformer/kernels/product.h"

#include <dnnl.h>
#include <omp.h>

#include <algorithm>

#include "src/transformer/kernels/row_product.h"

namespace posenc::kernels {
namespace {

// oneDNN asks OpenMP for threads. Threads here are the executor's, so it gets the calling one: the setting is the
// calling thread's own, and is put back.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

void product(const Matrix& left, const Matrix& right, Right form, float scale, float keep, float* out,
             std::int64_t out_stride) {
  const bool transposed = form == Right::transposed;
  const std::int64_t columns = transposed ? right.rows : right.columns;
  if (left.rows == 0 || columns == 0) return;
  if (left.columns == 0) {  // oneDNN refuses matrices without data
    for (std::int64_t i = 0; i < left.rows; ++i) {
      float* row = out + i * out_stride;
      std::transform(row, row + columns, row, [&](float x) { return keep == 0 ? 0 : keep * x; });
    }
    return;
  }
  if (left.rows == 1) return row_product(left.data, right, form, scale, keep, out);
  const OneThread one;
  // Strides of single rows are never used, but oneDNN wants them as wide as a row.
  const auto stride = [](const Matrix& of) { return of.rows > 1 ? of.stride : std::max<std::int64_t>(1, of.columns); };
  dnnl_sgemm('N', transposed ? 'T' : 'N', left.rows, columns, left.columns, scale, left.data, stride(left), right.data,
             stride(right), keep, out, left.rows > 1 ? out_stride : columns);
}

}  // namespace posenc::kernels
