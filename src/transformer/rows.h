// SPDX-License-Identifier: Apache-2.0
// Rows of tensors [..., d]: the groups in which they are a fixed step apart.
#pragma once

#include "src/encodings/merged_axes.h"

#include <algorithm>

namespace posenc {

/// The axes of a weight of two, any number for what a check will refuse.
inline std::int64_t rows_of(const ConstView& weight) { return weight.rank == 2 ? weight.size(0) : 1; }
inline std::int64_t columns_of(const ConstView& weight) { return weight.rank == 2 ? weight.size(1) : 1; }

/// Multiplications of a product of rows that are worth a job, about 20 us.
inline constexpr std::int64_t least_product_work = 1 << 21;

/// The rows of two tensors of the same leading axes: groups of `rows` rows, a step apart in each tensor. Steps are at
/// least as long as a row, unless a group is a single one.
class RowGroups {
 public:
  std::int64_t groups = 1, rows = 1;
  std::int64_t in_step = 0, out_step = 0;

  RowGroups(const ConstView& in, const ConstView& out) {
    for (int axis = 0; axis + 1 < in.rank; ++axis) axes_.append({in.size(axis), in.stride(axis), out.stride(axis)});
    const MergedAxes::Axis& last = axes_.last();
    outer_ = axes_.rank;
    if (last.in >= in.size(-1) && last.out >= out.size(-1)) {
      --outer_;
      rows = last.size, in_step = last.in, out_step = last.out;
    }
    for (std::size_t axis = 0; axis < outer_; ++axis) groups *= axes_.axes[axis].size;
  }

  struct Offsets {
    std::int64_t in, out;
  };
  /// Where a group begins, in elements.
  Offsets start(std::int64_t group) const {
    Offsets at = {0, 0};
    if (group > 0) axes_.skip(outer_, group, at.in, at.out);
    return at;
  }

 private:
  MergedAxes axes_;
  std::size_t outer_;  // axes that count groups
};

}  // namespace posenc
