// SPDX-License-Identifier: Apache-2.0
// Comparing the shapes of views.
#pragma once

#include <posenc/core.h>

#include <algorithm>

namespace posenc {

/// Equal ranks and sizes. What stands in the arrays beyond the rank has no meaning.
inline bool same_shape(const ConstView& a, const ConstView& b) {
  return a.rank == b.rank && std::equal(a.shape.begin(), a.shape.begin() + a.rank, b.shape.begin());
}

}  // namespace posenc
