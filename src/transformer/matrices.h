// SPDX-License-Identifier: Apache-2.0
// Rows of tensors in the form in which they are multiplied, and memory for them.
#pragma once

#include <posenc/transformer/linear.h>

#include "src/base/blocks.h"
#include "src/base/scratch.h"
#include "src/transformer/kernels/product.h"
#include "src/transformer/kernels/softmax.h"

#include <algorithm>

namespace posenc {

using Floats = Scratch<float>;

inline Floats floats(std::int64_t count) { return Floats(static_cast<std::size_t>(count)); }

/// `columns` rounded up to whole vectors, one at least.
inline std::int64_t whole_vectors(std::int64_t columns) {
  return blocks(columns, kernels::widest_lanes) * kernels::widest_lanes;
}

inline kernels::Matrix matrix(const ConstView& weight) {
  return {static_cast<const float*>(weight.data), weight.size(0), weight.size(1), weight.stride(0)};
}

inline const float* bias_of(const Linear& weights) {
  return weights.bias ? static_cast<const float*>(weights.bias->data) : nullptr;
}

/// The rows of a tensor [B, n, c] or [B, H, n, c] where they stand, or copied where they repeat, run backwards or lie
/// in one another: the library of products reads none of these.
class Matrices {
 public:
  /// At most `most` rows at a time.
  Matrices(const ConstView& view, std::int64_t most) : view_(view) {
    const bool apart = view.size(-2) <= 1 || view.stride(-2) >= std::max<std::int64_t>(1, view.size(-1));
    if (!apart) copy_ = floats(most * view.size(-1));
  }

  /// Rows [first, first + count) of b, or of head h of b, until the next call.
  kernels::Matrix at(std::int64_t b, std::int64_t first, std::int64_t count) const {
    return rows(b * view_.stride(0), first, count);
  }
  kernels::Matrix at(std::int64_t b, std::int64_t h, std::int64_t first, std::int64_t count) const {
    return rows(b * view_.stride(0) + h * view_.stride(1), first, count);
  }

 private:
  kernels::Matrix rows(std::int64_t offset, std::int64_t first, std::int64_t count) const {
    const std::int64_t columns = view_.size(-1), step = view_.stride(-2);
    const float* from = static_cast<const float*>(view_.data) + offset + first * step;
    if (copy_.data() == nullptr) return {from, count, columns, step};
    for (std::int64_t i = 0; i < count; ++i) std::copy_n(from + i * step, columns, copy_.data() + i * columns);
    return {copy_.data(), count, columns, columns};
  }

  const ConstView& view_;
  Floats copy_;
};

}  // namespace posenc
