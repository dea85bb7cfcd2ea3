// SPDX-License-Identifier: Apache-2.0
// Turning the lines of several tensors by the same angles, few calls for many lines.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "src/base/elements.h"
#include "src/encodings/positions.h"
#include "src/encodings/tensor_lines.h"

namespace posenc {

/// The formula, for elements that do not lie next to each other.
template <class T>
void rotate_row(const float* cosine, const float* sine, engine::Pairs pairs, std::int64_t n,
                const StridedRow<const T>& in, const StridedRow<T>& out, std::int64_t width) {
  const bool adjacent = pairs == engine::Pairs::adjacent;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::int64_t first = adjacent ? 2 * k : k, second = adjacent ? 2 * k + 1 : k + n;
    const auto x = static_cast<float>(in[first]), y = static_cast<float>(in[second]);
    const float c = cosine[k], s = sine[k];
    out[first] = T(x * c - y * s);
    out[second] = T(x * s + y * c);
  }
  for (std::int64_t i = 2 * n; i < width; ++i) out[i] = in[i];
}

// Not inlined: its caller would prepare it where it is not called.
template <class T>
[[gnu::noinline]] void rotate_apart(const engine::Angles& angles, engine::Pairs pairs, const engine::Lines<T>& lines,
                                    std::int64_t in_step, std::int64_t out_step) {
  for (std::int64_t l = 0; l < lines.count; ++l) {
    for (std::int64_t t = 0; t < angles.rows; ++t) {
      rotate_row<T>(angles.cosine + t * angles.stride, angles.sine + t * angles.stride, pairs, angles.pairs,
                    {lines.in.data + l * lines.in.line + t * lines.in.row, in_step},
                    {lines.out.data + l * lines.out.line + t * lines.out.row, out_step}, lines.width);
    }
  }
}

/// Lines of several tensors that are turned together: a decoding step stores nothing between two calls.
template <class T>
class LineBatch {
 public:
  LineBatch(const engine::Angles& angles, engine::Pairs pairs) : angles_(angles), pairs_(pairs) {}

  /// Adds lines [first, end) of one tensor, the rows that the angles have.
  void add(const TensorLines& tensor, const RowRange& rows, std::int64_t first, std::int64_t end) {
    const std::int64_t in_step = tensor.tensor.in.stride(-1), out_step = tensor.tensor.out.stride(-1);
    for (std::int64_t line = first; line < end;) {
      engine::Lines<T>& lines = lines_[count_];
      tensor.from(rows.b, line, end - line, rows.first, lines);
      line += lines.count;
      if (in_step != 1 || out_step != 1) {
        rotate_apart(angles_, pairs_, lines, in_step, out_step);
      } else if (++count_ == lines_.size()) {
        rotate();
      }
    }
  }
  /// Turns those that were added and not yet turned.
  void rotate() {
    engine::rotate<T>(angles_, pairs_, std::span(lines_.data(), count_));
    count_ = 0;
  }

 private:
  const engine::Angles& angles_;
  engine::Pairs pairs_;
  std::size_t count_ = 0;
  std::array<engine::Lines<T>, 4> lines_;
};

}  // namespace posenc
