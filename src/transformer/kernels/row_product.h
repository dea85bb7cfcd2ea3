// SPDX-License-Identifier: Apache-2.0
// Products of one row and a matrix, as a token's step has them. oneDNN takes a lock in every call: 6,000 short texts by
// `posenc run` took 2.7 s on one thread and 1.9 to 2.3 s on two, now 2.2 and 1.2 s.
#pragma once

#include "src/transformer/kernels/product.h"

namespace posenc::kernels {

/// out[j] = scale sum of row[k] right[k, j] + keep out[j], or of right[j, k] where it is transposed. Sums are of f32 in
/// lanes; keep 0 reads nothing of out.
void row_product(const float* row, const Matrix& right, Right form, float scale, float keep, float* out);

}  // namespace posenc::kernels
