// SPDX-License-Identifier: Apache-2.0
// A tensor as lines of rows: what shares the positions of a sequence.
#pragma once

#include <posenc/rotary.h>

#include <algorithm>

#include "src/engine/rotary/rotate.h"

namespace posenc {

/// How many lines of rows a valid tensor has: the axes before the sequence, or all but the first of them. A count that
/// does not fit is that of an empty tensor, whose other axes may be of any size.
inline std::int64_t line_count(const View& out, bool shared_positions) {
  std::int64_t count = shared_positions || out.size(0) != 0 ? 1 : 0;
  for (int axis = shared_positions ? 0 : 1; axis < out.rank - 2; ++axis) {
    if (__builtin_mul_overflow(count, out.size(axis), &count)) return 0;
  }
  return count;
}

/// A tensor as lines of rows, counted through the axes before the sequence: all of them, or all but the first where
/// that one has its own positions. Axes are merged where the strides allow, so that runs of lines are long.
struct TensorLines {
  struct Axis {
    std::int64_t size, in, out;  // strides of in and out
  };

  const Rotated& tensor;
  bool shared;                      // positions
  std::array<Axis, max_rank> axes;  // `rank` of them
  std::size_t rank = 1;

  TensorLines(const Rotated& of, bool shared_positions) : tensor(of), shared(shared_positions) {
    axes[0] = {1, 0, 0};
    for (int axis = shared ? 0 : 1; axis < of.out.rank - 2; ++axis) {
      append({of.out.size(axis), of.in.stride(axis), of.out.stride(axis)});
    }
  }

  void append(const Axis& next) {
    Axis& last = axes[rank - 1];
    if (next.size == 1) return;
    if (last.size == 1) {
      last = next;
    } else if (last.in == next.size * next.in && last.out == next.size * next.out) {
      last = {last.size * next.size, next.in, next.out};
    } else {
      axes[rank++] = next;
    }
  }

  /// Rows t, t + 1, ... of line `line` of list b and of those after it that are one stride apart, `most` of them, made
  /// where they are kept: a load that follows waits for a copy.
  template <class T>
  void from(std::int64_t b, std::int64_t line, std::int64_t most, std::int64_t t, engine::Lines<T>& lines) const {
    const auto& [in, out] = tensor;
    const Axis& last = axes[rank - 1];
    std::int64_t in_at = t * in.stride(-2), out_at = t * out.stride(-2), left = last.size;
    if (line > 0) left -= skip(line, in_at, out_at);  // a step begins with line 0
    if (!shared) in_at += b * in.stride(0), out_at += b * out.stride(0);
    lines = {{static_cast<const T*>(in.data) + in_at, last.in, in.stride(-2)},
             {static_cast<T*>(out.data) + out_at, last.out, out.stride(-2)},
             std::min(most, left),
             out.size(-1)};
  }

  /// Adds to both offsets what lies before a line; its index along the last axis. Not inlined: no step needs it.
  [[gnu::noinline]] std::int64_t skip(std::int64_t line, std::int64_t& in_at, std::int64_t& out_at) const {
    const std::int64_t last = line % axes[rank - 1].size;
    for (std::size_t axis = rank; axis-- > 0 && line > 0; line /= axes[axis].size) {
      const std::int64_t index = line % axes[axis].size;
      in_at += index * axes[axis].in;
      out_at += index * axes[axis].out;
    }
    return last;
  }
};

}  // namespace posenc
