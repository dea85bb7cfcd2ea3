// SPDX-License-Identifier: Apache-2.0
// Comparing the shapes of views, and telling those that break no rule.
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

/// Numbers that break no rule of views or outputs, nor have a size or a stride of 0 or less. Of most views this is all
/// that has to be asked, in a third of the time that finding a broken rule takes.
template <class Pointer>
bool is_plain(const BasicView<Pointer>& view) {
  const auto element = static_cast<std::int64_t>(size_of(view.dtype));
  if (element == 0 || view.rank < 0 || view.rank > max_rank || view.data == nullptr) return false;
  if ((reinterpret_cast<std::intptr_t>(view.data) & (element - 1)) != 0) return false;
  std::int64_t bytes = element, last = 0;  // last: the farthest element
  for (int axis = 0; axis < view.rank; ++axis) {
    const std::int64_t size = view.size(axis), stride = view.stride(axis);
    if (size == 1) continue;
    std::int64_t reach = 0;
    if (size < 1 || stride < 1 || __builtin_mul_overflow(bytes, size, &bytes) ||
        __builtin_mul_overflow((size - 1) * element, stride, &reach) || __builtin_add_overflow(last, reach, &last)) {
      return false;
    }
  }
  return true;
}

}  // namespace posenc
