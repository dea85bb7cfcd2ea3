// SPDX-License-Identifier: Apache-2.0
// Rows of tensors [B, n, c] in the form in which they are multiplied.
#pragma once

#include <posenc/linear.h>

#include "src/engine/product.h"
#include "src/engine/scratch.h"
#include "src/engine/softmax.h"

#include <algorithm>

namespace posenc {

using Floats = engine::Scratch<float>;

inline Floats floats(std::int64_t count) { return Floats(static_cast<std::size_t>(count)); }

inline std::int64_t whole_vectors(std::int64_t columns) {
  return (columns + engine::widest_lanes - 1) / engine::widest_lanes * engine::widest_lanes;
}

inline engine::Matrix matrix(const ConstView& weight) {
  return {static_cast<const float*>(weight.data), weight.size(0), weight.size(1), weight.stride(0)};
}

inline const float* bias_of(const Linear& weights) {
  return weights.bias ? static_cast<const float*>(weights.bias->data) : nullptr;
}

/// Rows where they stand, or copied where they repeat, run backwards or lie in one another.
class Matrices {
 public:
  /// At most `most` rows at a time.
  Matrices(const ConstView& view, std::int64_t most) : view_(view) {
    const bool apart = view.size(1) <= 1 || view.stride(1) >= std::max<std::int64_t>(1, view.size(2));
    if (!apart) copy_ = floats(most * view.size(2));
  }

  /// Rows [first, first + count) of b, until the next call.
  engine::Matrix at(std::int64_t b, std::int64_t first, std::int64_t count) const {
    const std::int64_t columns = view_.size(2);
    const float* from = static_cast<const float*>(view_.data) + b * view_.stride(0) + first * view_.stride(1);
    if (copy_.data() == nullptr) return {from, count, columns, view_.stride(1)};
    for (std::int64_t i = 0; i < count; ++i) {
      std::copy_n(from + i * view_.stride(1), columns, copy_.data() + i * columns);
    }
    return {copy_.data(), count, columns, columns};
  }

 private:
  const ConstView& view_;
  Floats copy_;
};

}  // namespace posenc
