// SPDX-License-Identifier: Apache-2.0
// Rows of tensors [..., d]: the groups in which they are a fixed step apart.
#pragma once

#include <posenc/core.h>

#include <algorithm>

namespace posenc {

/// The axes of a weight of two, any number for what a check will refuse.
inline std::int64_t rows_of(const ConstView& weight) { return weight.rank == 2 ? weight.size(0) : 1; }
inline std::int64_t columns_of(const ConstView& weight) { return weight.rank == 2 ? weight.size(1) : 1; }

/// The rows of two tensors of the same leading axes: groups of `rows` rows, a step apart in each tensor. Steps are at
/// least as long as a row, unless a group is a single one.
class RowGroups {
 public:
  std::int64_t groups = 1, rows = 1;
  std::int64_t in_step = 0, out_step = 0;

  RowGroups(const ConstView& in, const ConstView& out) {
    for (int axis = 0; axis + 1 < in.rank; ++axis) add({in.size(axis), in.stride(axis), out.stride(axis)});
    const bool apart = count_ > 0 && axes_[last()].in >= in.size(-1) && axes_[last()].out >= out.size(-1);
    if (apart) {
      --count_;
      rows = axes_[static_cast<std::size_t>(count_)].size;
      in_step = axes_[static_cast<std::size_t>(count_)].in;
      out_step = axes_[static_cast<std::size_t>(count_)].out;
    }
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(count_); ++axis) groups *= axes_[axis].size;
  }

  struct Offsets {
    std::int64_t in, out;
  };
  /// Where a group begins, in elements.
  Offsets start(std::int64_t group) const {
    Offsets at = {0, 0};
    for (int axis = count_ - 1; axis >= 0; --axis) {
      const Axis& a = axes_[static_cast<std::size_t>(axis)];
      at.in += group % a.size * a.in;
      at.out += group % a.size * a.out;
      group /= a.size;
    }
    return at;
  }

 private:
  struct Axis {
    std::int64_t size, in, out;
  };
  std::size_t last() const { return static_cast<std::size_t>(count_ - 1); }
  // An axis that goes on where the one before it makes its next step is one with it.
  void add(const Axis& axis) {
    if (axis.size == 1) return;
    if (count_ > 0 && axes_[last()].in == axis.size * axis.in && axes_[last()].out == axis.size * axis.out) {
      axes_[last()] = {axes_[last()].size * axis.size, axis.in, axis.out};
      return;
    }
    axes_[static_cast<std::size_t>(count_++)] = axis;
  }

  std::array<Axis, max_rank> axes_ = {};
  int count_ = 0;
};

}  // namespace posenc
