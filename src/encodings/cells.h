// SPDX-License-Identifier: Apache-2.0
// Cells of a grid: a sink of a row plan of any number of axes. Rows of an axis are made once for all cells of a chunk
// that hold them, and copied to the columns that the plan gives them.
#pragma once

#include <posenc/places.h>

#include <algorithm>

#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/encodings/axis_rows.h"
#include "src/encodings/recipe_sums.h"

namespace posenc {

/// A plan of several axes made ready.
struct CellRows {
  /// Columns [from, from + count) of the row of an axis, at [to, to + count) of a cell.
  struct Run {
    std::int64_t from, to, count;
  };
  struct Axis {
    std::size_t rows;  // which of `rows`: axes whose rows are the same share them
    std::vector<Run> runs;
  };

  std::int64_t width;
  std::vector<AxisRows> rows;
  std::vector<Axis> axes;
  std::vector<std::pair<std::int64_t, unsigned>> constants;  // column and quarters
  std::unique_ptr<const Entries> by_entries;                 // where no rows of one axis each make a cell
  std::unique_ptr<const RecipeSums> by_sums;                 // the same under a recipe of steps
  std::unique_ptr<const PhaseRows> by_phases;                // under the recipe phase

  /// Are cells made one by one, by write_cell?
  bool one_by_one() const { return by_entries != nullptr || by_sums != nullptr || by_phases != nullptr; }
  template <class T>
  [[nodiscard]] bool write_cell(Place place, T* out, std::int64_t step) const {
    if (by_phases) return by_phases->write_row(place, out, step);
    return by_entries ? by_entries->write_row(place, out, step) : by_sums->write_row(place, out, step);
  }

  /// Of a plan under a recipe; `ladders` has the ladder of each axis of a recipe of steps, or nothing.
  CellRows(const plan::RowPlan& plan, const Recipe& recipe, const std::vector<StepLadder>& ladders);
};

/// Of waves that keep their checks.
CellRows cell_rows(const Convention& waves, const LoweredFor& given, const Recipe& recipe);

/// What an axis gives to a cell, from a row of that axis.
template <class T>
void copy_runs(const CellRows::Axis& axis, const T* row, const StridedRow<T>& cell) {
  for (const auto& [from, to, count] : axis.runs) {
    if (cell.step == 1) {
      std::copy(row + from, row + from + count, cell.data + to);
      continue;
    }
    for (std::int64_t c = 0; c < count; ++c) cell[to + c] = row[from + c];
  }
}

/// Of a flat table; a convention has no more axes.
inline constexpr std::size_t most_indices = 8;

/// Cells in the order of a flat table, the last index fastest; at most `most_indices`.
struct CellGrid {
  std::vector<std::int64_t> extents;
  std::vector<std::size_t> index_of;  // of each axis of the plan: which index is its place
  PlaceNumbering places;

  bool numbered() const { return places != whole_places; }
};

/// The coordinates of places [first, first + count) of an index.
class AxisPositions {
 public:
  AxisPositions(const CellGrid& grid, std::size_t index, std::int64_t first, std::int64_t count)
      : first_(first), count_(count), list_(grid.numbered() ? static_cast<std::size_t>(count) : 0) {
    if (!list_.empty()) {
      detail::write_place_coordinates(grid.places, grid.extents, index, first, view(list_.data(), {count}));
    }
  }
  Positions all() const {
    return list_.empty() ? Positions::range(first_, count_) : Positions::list(view(list_.data(), {count_}));
  }
  numerics::Dyadic at(std::int64_t place) const {
    const auto i = static_cast<std::size_t>(place - first_);
    return list_.empty() ? numerics::dyadic(place) : numerics::dyadic(list_[i]);
  }
  std::int64_t first() const { return first_; }

 private:
  std::int64_t first_, count_;
  std::vector<double> list_;  // empty: first, first + 1, ..
};

/// The rows of the places of every axis, in one element type: of all axes whose rows take at most `most` bytes. Axes
/// whose rows and coordinates are the same share them.
struct KeptRows {
  struct Rows {
    std::size_t rows, index;  // whose they are: of CellRows::rows, of CellGrid::extents
    std::int64_t count;
    Scratch<std::byte> data;
  };
  std::vector<Rows> made;
  std::vector<std::optional<std::size_t>> of;  // of each axis: which of them
};
/// Nothing where an entry was not settled.
std::optional<KeptRows> keep_rows(const CellRows& cells, const CellGrid& grid, DType type, std::int64_t most,
                                  const Executor& executor);

/// Where cells go: number i of the flat table to data + the sum of index j * strides[j]; or, in a flat output, to
/// data + (i - first) * strides[0].
struct CellTarget {
  DType type;
  void* data;
  std::vector<std::int64_t> strides;  // elements; one an index, or one
  std::int64_t step;                  // between columns
};

/// Cells first, first + 1, ... `count` of them. Rows that are not kept are made for this chunk. False where an entry
/// was not settled.
[[nodiscard]] bool write_cells(const CellRows& cells, const CellGrid& grid, const KeptRows& kept, std::int64_t first,
                               std::int64_t count, const CellTarget& to, const Executor& executor);

}  // namespace posenc
