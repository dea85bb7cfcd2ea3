// SPDX-License-Identifier: Apache-2.0
// Rows of tensors [..., d]: their rules, and the groups in which they are a fixed step apart.
#pragma once

#include <posenc/core.h>

#include "src/base/to_text.h"

#include <algorithm>

namespace posenc {

/// Rules of rows: a view of f32, one axis or more, columns next to each other.
inline std::optional<Problem> check_rows(std::string_view operation, std::string_view name, const ConstView& rows) {
  if (auto problem = check_view(operation, name, rows)) return problem;
  const std::string of(operation), is(name);
  if (rows.dtype != DType::f32) return Problem{of, is + " must be f32", std::string(to_string(rows.dtype))};
  if (rows.rank == 0) return Problem{of, is + " must have an axis of columns", shape_text(rows)};
  if (rows.size(-1) > 1 && rows.stride(-1) != 1) {
    return Problem{of, is + " must have columns next to each other, stride 1", std::to_string(rows.stride(-1))};
  }
  return std::nullopt;
}

/// Rules of out: check_rows, no shared elements, the axes of `in`, and `width` columns.
inline std::optional<Problem> check_rows_out(std::string_view operation, const ConstView& in, const View& out,
                                             std::int64_t width) {
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (auto problem = check_rows(operation, "out", out)) return problem;
  ConstView wanted = in;
  wanted.shape[static_cast<std::size_t>(in.rank - 1)] = width;
  if (out.rank == in.rank && std::equal(out.shape.begin(), out.shape.begin() + out.rank, wanted.shape.begin())) {
    return std::nullopt;
  }
  return Problem{std::string(operation), "out must have shape " + shape_text(wanted), shape_text(out)};
}

/// The axes of a weight of two, any number for what check_weight will refuse.
inline std::int64_t rows_of(const ConstView& weight) { return weight.rank == 2 ? weight.size(0) : 1; }
inline std::int64_t columns_of(const ConstView& weight) { return weight.rank == 2 ? weight.size(1) : 1; }

/// "layer 2 query weight" of "layer 2 query"; "weight" where the whole has no name.
inline std::string part_of(std::string_view name, std::string_view part) {
  return name.empty() ? std::string(part) : std::string(name) + " " + std::string(part);
}

/// Rules of one weight: a view of f32 of this shape, columns next to each other.
inline std::optional<Problem> check_weight(std::string_view operation, std::string_view name, const ConstView& weight,
                                           std::initializer_list<std::int64_t> shape) {
  if (auto problem = check_rows(operation, name, weight)) return problem;
  if (weight.rank == static_cast<int>(shape.size()) && std::equal(shape.begin(), shape.end(), weight.shape.begin())) {
    return std::nullopt;
  }
  return Problem{std::string(operation), std::string(name) + " must have shape " + to_text(std::vector(shape)),
                 shape_text(weight)};
}

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
