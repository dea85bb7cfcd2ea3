// SPDX-License-Identifier: Apache-2.0
// Rotations of f64: cosines and sines as tables of f64 have them, and pairs turned one by one.
#include <algorithm>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/rotation.h"
#include "src/encodings/tensor_lines.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

constexpr std::int64_t rows_at_once = 64;  // strips make coefficients at twice the speed of single rows

// Coefficients of one row.
struct WideTurn {
  const double *c0, *s0, *s1, *c1;
};

// Each product and each sum is rounded. `copy` has room for the row, whose places may be those of `out`.
void turn_row(const WideTurn& by, const plan::Placement& placed, StridedRow<const double> in, StridedRow<double> out,
              std::int64_t width, double* copy) {
  for (std::int64_t c = 0; c < width; ++c) copy[c] = in[c];
  for (std::int64_t c = 0; c < width; ++c) out[c] = copy[c];
  for (const plan::PairRun& run : placed.runs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const std::uint32_t k = run.pair + i, read = i * run.read.step, written = i * run.written.step;
      const double u = copy[run.read.first + read], v = copy[run.read.second + read];
      out[run.written.first + written] = u * by.c0[k] - v * by.s0[k];
      out[run.written.second + written] = u * by.s1[k] + v * by.c1[k];
    }
  }
}

}  // namespace

bool Rotation::rotate_wide(std::span<const Positions> coordinates, std::span<const Rotated> tensors,
                           Direction direction, const Executor& executor) const {
  const Positions& positions = widest(coordinates);
  const bool shared = rank(positions) == 1, back = direction == Direction::inverse, two_angles = width_ > 2 * pairs_;
  const std::int64_t lists = shared ? 1 : positions.list_.size(0), down = blocks(positions.count_, rows_at_once);
  const plan::Placement& placed = back ? inverse_ : forward_;
  Decided decided;
  for_blocks(executor, lists * down, 1, [&](std::int64_t block, std::int64_t) {
    const std::int64_t first = block % down * rows_at_once;
    const RowRange rows = {block / down, first, std::min(rows_at_once, positions.count_ - first)};
    const Scratch<double> made(static_cast<std::size_t>(rows.count * width_));
    decided.also(write_places(*cells_, coordinates, rows, made.data(), width_));
    direct(rows, direction, made.data());
    for (const Rotated& tensor : tensors) {
      const TensorLines lines(tensor, shared);
      const Scratch<double> copy(static_cast<std::size_t>(tensor.out.size(-1)));
      engine::Lines<double> at;
      for (std::int64_t line = 0, all = line_count(tensor.out, shared); line < all; line += at.count) {
        lines.from(rows.b, line, all - line, rows.first, at);
        for (std::int64_t i = 0; i < at.count * rows.count; ++i) {
          const std::int64_t l = i / rows.count, t = i % rows.count;
          const double* const c0 = made.data() + t * width_;
          const double *s0 = c0 + pairs_, *s1 = two_angles ? s0 + pairs_ : s0, *c1 = two_angles ? s1 + pairs_ : c0;
          if (back) std::swap(s0, s1);
          turn_row({c0, s0, s1, c1}, placed, {at.in.data + l * at.in.line + t * at.in.row, tensor.in.stride(-1)},
                   {at.out.data + l * at.out.line + t * at.out.row, tensor.out.stride(-1)}, at.width, copy.data());
        }
      }
    }
  });
  return decided.all();
}

}  // namespace posenc
