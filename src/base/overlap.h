// SPDX-License-Identifier: Apache-2.0
// Where the elements of views lie, and telling at once those that lie apart.
#pragma once

#include <posenc/core.h>

#include <limits>

#include "src/base/shapes.h"

namespace posenc {

using detail::Extent;

inline std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

/// Of the first element of a view.
template <class Pointer>
std::int64_t address_of(const BasicView<Pointer>& view) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data));
}

/// Of a view that keeps its rules.
template <class Pointer>
Extent extent_of(const BasicView<Pointer>& view) {
  constexpr std::int64_t behind = std::numeric_limits<std::int64_t>::max();
  std::uint64_t low = 0, high = 0;  // unsigned: the other sizes of an empty view may be any
  for (int axis = 0; axis < view.rank; ++axis) {
    const std::int64_t size = view.size(axis);
    if (size < 1) return {behind, behind};
    const std::uint64_t reach = static_cast<std::uint64_t>(size - 1) * static_cast<std::uint64_t>(view.stride(axis));
    (static_cast<std::int64_t>(reach) < 0 ? low : high) += reach;
  }
  const std::uint64_t element = size_of(view.dtype);
  const std::int64_t last = saturated_sum(address_of(view), static_cast<std::int64_t>(high * element));
  return {saturated_sum(address_of(view), static_cast<std::int64_t>(low * element)),
          saturated_sum(last, static_cast<std::int64_t>(element))};
}

inline bool apart(const Extent& a, const Extent& b) { return a.end <= b.begin || b.end <= a.begin; }

/// check_overlap of any two views, asked only where their bytes do not lie apart, or in place.
template <class A, class B>
std::optional<Problem> check_apart(std::string_view operation, std::string_view in_name, const BasicView<A>& in,
                                   std::string_view out_name, const BasicView<B>& out,
                                   Sharing sharing = Sharing::none) {
  if (sharing == Sharing::same_view && in.data == out.data && in.dtype == out.dtype && same_shape(in, out) &&
      same_strides(in, out)) {
    return std::nullopt;
  }
  if (apart(extent_of(in), extent_of(out))) return std::nullopt;
  return check_overlap(operation, in_name, in, out_name, out, sharing);
}

}  // namespace posenc
