// SPDX-License-Identifier: Apache-2.0
// A tensor as lines of rows: what shares the positions of a sequence.
#pragma once

#include <posenc/rotary.h>

#include <algorithm>

#include "src/encodings/merged_axes.h"
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
/// that one has its own positions.
struct TensorLines {
  const Rotated& tensor;
  bool shared;  // positions
  MergedAxes axes;

  TensorLines(const Rotated& of, bool shared_positions) : tensor(of), shared(shared_positions) {
    for (int axis = shared ? 0 : 1; axis < of.out.rank - 2; ++axis) {
      axes.append({of.out.size(axis), of.in.stride(axis), of.out.stride(axis)});
    }
  }

  /// Rows t, t + 1, ... of line `line` of list b and of those after it that are one stride apart, `most` of them, made
  /// where they are kept: a load that follows waits for a copy.
  template <class T>
  void from(std::int64_t b, std::int64_t line, std::int64_t most, std::int64_t t, engine::Lines<T>& lines) const {
    const ConstView& in = tensor.in;
    const View& out = tensor.out;
    const MergedAxes::Axis& last = axes.last();
    std::int64_t in_at = t * in.stride(-2), out_at = t * out.stride(-2), left = last.size;
    if (line > 0) {  // a step begins with line 0
      left -= line % last.size;
      axes.skip(axes.rank, line, in_at, out_at);
    }
    if (!shared) in_at += b * in.stride(0), out_at += b * out.stride(0);
    lines = {{static_cast<const T*>(in.data) + in_at, last.in, in.stride(-2)},
             {static_cast<T*>(out.data) + out_at, last.out, out.stride(-2)},
             std::min(most, left),
             out.size(-1)};
  }
};

}  // namespace posenc
