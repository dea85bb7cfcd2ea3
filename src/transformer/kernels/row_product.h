// SPDX-License-Identifier: Apache-2.0
// Products of one row and a matrix, as a token's step has them: oneDNN takes a lock in every call, for which threads
// wait.
#pragma once

#include "src/transformer/kernels/product.h"

namespace posenc::kernels {

/// out[j] = scale sum of row[k] right[k, j] + keep out[j], or of right[j, k] where it is transposed. Keep 0 reads
/// nothing of out.
void row_product(const float* row, const Matrix& right, Right form, float scale, float keep, float* out);

}  // namespace posenc::kernels
