// SPDX-License-Identifier: Apache-2.0
// Comparing the shapes of views.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Equal ranks and sizes. What stands in the arrays beyond the rank has no meaning.
inline bool same_shape(const ConstView& a, const ConstView& b) {
  bool same = a.rank == b.rank;
  for (int axis = 0; same && axis < a.rank; ++axis) same = a.size(axis) == b.size(axis);
  return same;
}

}  // namespace posenc
