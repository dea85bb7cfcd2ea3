// SPDX-License-Identifier: Apache-2.0
// Comparing the shapes of views.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Equal ranks and sizes. What stands in the arrays beyond the rank has no meaning. (Of any two kinds of views: turning
/// one into the other is a copy that the first comparison waits for.)
template <class A, class B>
bool same_shape(const BasicView<A>& a, const BasicView<B>& b) {
  bool same = a.rank == b.rank;
  for (int axis = 0; same && axis < a.rank; ++axis) same = a.size(axis) == b.size(axis);
  return same;
}

/// Of views of one rank.
template <class A, class B>
bool same_strides(const BasicView<A>& a, const BasicView<B>& b) {
  bool same = true;
  for (int axis = 0; same && axis < a.rank; ++axis) same = a.stride(axis) == b.stride(axis);
  return same;
}

}  // namespace posenc
