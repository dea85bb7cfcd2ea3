// SPDX-License-Identifier: Apache-2.0
// The axes of two tensors of one shape, as few as their strides allow.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// Axes that go on in both tensors where the one before makes its next step are one with it, so that runs are long.
struct MergedAxes {
  struct Axis {
    std::int64_t size, in, out;  // strides of in and out
  };

  std::array<Axis, max_rank> axes;  // `rank` of them
  std::size_t rank = 1;

  MergedAxes() { axes[0] = {1, 0, 0}; }
  const Axis& last() const { return axes[rank - 1]; }

  void append(const Axis& next) {
    Axis& before = axes[rank - 1];
    if (next.size == 1) return;
    if (before.size == 1) {
      before = next;
    } else if (before.in == next.size * next.in && before.out == next.size * next.out) {
      before = {before.size * next.size, next.in, next.out};
    } else {
      axes[rank++] = next;
    }
  }

  /// Adds to both offsets what lies before element `index` of the first `count` axes. Not inlined: steps begin with
  /// element 0.
  [[gnu::noinline]] void skip(std::size_t count, std::int64_t index, std::int64_t& in_at, std::int64_t& out_at) const {
    for (std::size_t axis = count; axis-- > 0 && index > 0; index /= axes[axis].size) {
      in_at += index % axes[axis].size * axes[axis].in;
      out_at += index % axes[axis].size * axes[axis].out;
    }
  }
};

}  // namespace posenc
