// SPDX-License-Identifier: Apache-2.0
// Turning the lines of several tensors by the same angles, few calls for many lines.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/encodings/positions.h"
#include "src/encodings/tensor_lines.h"
#include "src/engine/rotary/turn.h"

namespace posenc {

/// Rows of angles, and the columns of pairs that the plain kernel takes.
struct PlainTurns {
  engine::Angles angles;
  engine::Pairs pairs;

  std::int64_t rows() const { return angles.rows; }
  PlainTurns row(std::int64_t t) const {
    const std::int64_t first = t * angles.stride;
    return {{angles.cosine + first, angles.sine + first, angles.stride, 1, angles.pairs}, pairs};
  }
  template <class T>
  void turn(std::span<const engine::Lines<T>> lines) const {
    engine::rotate<T>(angles, pairs, lines);
  }
};

/// Rows of coefficients, and where their pairs stand.
struct PlacedTurns {
  engine::Coefficients by;
  const plan::Placement& placed;

  std::int64_t rows() const { return by.rows; }
  PlacedTurns row(std::int64_t t) const {
    const std::int64_t first = t * by.stride;
    return {{by.c0 + first, by.s0 + first, by.s1 + first, by.c1 + first, by.stride, 1}, placed};
  }
  template <class T>
  void turn(std::span<const engine::Lines<T>> lines) const {
    engine::turn<T>(by, placed, lines);
  }
};

/// Rows whose elements do not lie next to each other: each by way of one whose do. Not inlined: its caller would
/// prepare it where it is not called.
template <class T, class Turns>
[[gnu::noinline]] void turn_apart(const Turns& turns, const engine::Lines<T>& lines, std::int64_t in_step,
                                  std::int64_t out_step) {
  LocalScratch<T> scratch;
  T* const row = scratch.take(static_cast<std::size_t>(lines.width));
  const engine::Lines<T> one[] = {{{row, 0, 0}, {row, 0, 0}, 1, lines.width}};
  for (std::int64_t l = 0; l < lines.count; ++l) {
    for (std::int64_t t = 0; t < turns.rows(); ++t) {
      const StridedRow<const T> in = {lines.in.data + l * lines.in.line + t * lines.in.row, in_step};
      const StridedRow<T> out = {lines.out.data + l * lines.out.line + t * lines.out.row, out_step};
      for (std::int64_t c = 0; c < lines.width; ++c) row[c] = in[c];
      turns.row(t).template turn<T>(one);
      for (std::int64_t c = 0; c < lines.width; ++c) out[c] = row[c];
    }
  }
}

/// Lines of several tensors that are turned together: a decoding step stores nothing between two calls.
template <class T, class Turns>
class LineBatch {
 public:
  explicit LineBatch(const Turns& turns) : turns_(turns) {}

  /// Adds lines [first, end) of one tensor, the rows that the turns have.
  void add(const TensorLines& tensor, const RowRange& rows, std::int64_t first, std::int64_t end) {
    const std::int64_t in_step = tensor.tensor.in.stride(-1), out_step = tensor.tensor.out.stride(-1);
    for (std::int64_t line = first; line < end;) {
      engine::Lines<T>& lines = lines_[count_];
      tensor.from(rows.b, line, end - line, rows.first, lines);
      line += lines.count;
      if (in_step != 1 || out_step != 1) {
        turn_apart(turns_, lines, in_step, out_step);
      } else if (++count_ == lines_.size()) {
        turn();
      }
    }
  }
  /// Turns those that were added and not yet turned.
  void turn() {
    turns_.template turn<T>(std::span(lines_.data(), count_));
    count_ = 0;
  }

 private:
  const Turns& turns_;
  std::size_t count_ = 0;
  std::array<engine::Lines<T>, 4> lines_;
};

}  // namespace posenc
