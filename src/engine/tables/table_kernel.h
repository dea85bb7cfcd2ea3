// SPDX-License-Identifier: Apache-2.0
// Tables by symmetric pairs: the rows of equally spaced positions, one multiply-add an output, each entry exact.
//
// Entry (p, j) is sin(2 pi (p t_j + q_j)), t_j the turns of column j's frequency, q_j 0 to 3 quarters, 0 for a sine and
// 1 for a cosine: a column knows its phase, so no layout is known here. Y is the column a quarter of a turn ahead. With
// a centre row X, Y and the sine and cosine of n steps, two rows cost one multiplication and two multiply-adds:
//
//     X(n steps on or back) = X cos(n) +- Y sin(n)
//
// A block is a centre row with 8 rows either way (angle_addition-inl.h). The centres of 17 blocks come in the same way
// from one far centre, which is evaluated directly, and so are the 2 x 8 sines and cosines.
#pragma once

#include <posenc/core.h>

#include <span>

#include "src/base/stores.h"
#include "src/engine/tables/columns.h"

namespace posenc::engine {

inline constexpr std::size_t reach = 8;  // rows either way of a centre
inline constexpr std::int64_t block_rows = 2 * reach + 1, far_rows = block_rows * block_rows;
inline constexpr std::size_t panel_columns = 64;

constexpr std::size_t panels(std::size_t columns) { return (columns + panel_columns - 1) / panel_columns; }

/// cos and sin of 1 to 8 strides of a panel's columns, at [strides - 1].
template <class C>
struct Strides {
  alignas(64) C cosine[reach][panel_columns], sine[reach][panel_columns];
};
struct PanelSteps {
  Strides<double> near, far;  // strides of one step and of `block_rows` steps
};

/// Of columns [first, first + count), for positions `step` apart.
using StepsFiller = void(const Columns& columns, std::size_t first, std::size_t count, std::int64_t step,
                         PanelSteps& steps);

/// Equally spaced positions (start + i step) 2^exponent and the part of each row that is written. The columns are those
/// of that exponent.
struct Strip {
  std::int64_t start, step;
  int exponent;                       // at most 0
  std::int64_t rows;                  // a block or more
  std::size_t first, columns;         // at most tile_columns of them
  std::span<const PanelSteps> steps;  // of its panels; none: the strip makes its own
};

/// Columns that one strip takes: 256 bytes of a row. Memory takes streamed lines at full speed from there on, and at
/// two thirds of it when rows are written 128 bytes at a time.
template <class T>
inline constexpr std::size_t tile_columns = 256 / sizeof(T);

/// Does a strip of so many rows pay, and do its far centres stay inside int64?
bool strip_pays(std::int64_t start, std::int64_t step, std::int64_t rows);

/// out[row * stride + column - first] = RN(entry times the rungs' factor) for the rows and columns of the strip; T is
/// float, half or bfloat16. Streamed stores are in memory on return; they are made where rows are whole lines. False
/// where 2^15 bits did not settle an entry, which is then unspecified.
template <class T>
using StripWriter = bool(const Rungs& rungs, const Columns& columns, const Strip& strip, T* out, std::int64_t stride,
                         Stores stores);

struct TableKernels {
  ByType<StripWriter> write;
  StepsFiller* fill_steps;
};
/// Those of the instruction set in use.
const TableKernels& table_kernels();

template <class T>
[[nodiscard]] bool write_strip(const Rungs& rungs, const Columns& columns, const Strip& strip, T* out,
                               std::int64_t stride, Stores stores) {
  return table_kernels().write.of<T>()(rungs, columns, strip, out, stride, stores);
}
/// Those of columns [first, first + count), a panel each.
std::vector<PanelSteps> panel_steps(const Columns& columns, std::size_t first, std::size_t count, std::int64_t step);

}  // namespace posenc::engine
