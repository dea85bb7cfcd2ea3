// SPDX-License-Identifier: Apache-2.0
// Rows::Ready, the state of Rows: rows of the only axis, or of each of several.
#pragma once

#include <posenc/rows.h>

#include <string>

#include "src/encodings/cells.h"

namespace posenc {

struct Rows::Ready {
  std::optional<AxisRows> line;   // of one axis
  std::optional<CellRows> cells;  // of several
  std::vector<std::string> axes;
  std::vector<std::string> cell_axes;  // of each index of a cell, where the convention has cells
  std::vector<std::size_t> index_of;   // of each axis: which index of a cell
  std::optional<Problem> no_cells;     // the error of a convention without cells

  std::int64_t width() const { return line ? line->width : cells->width; }
  CellGrid grid(std::vector<std::int64_t> extents, const PlaceNumbering& places) const {
    return {std::move(extents), index_of, places};
  }
};

/// The rows of a convention of one axis.
inline const AxisRows& line_of(const Rows& rows) { return *rows.ready().line; }

/// Have the places of a grid coordinates that are doubles? 0, 1, .. are none.
inline std::optional<Problem> check_extents(const PlaceNumbering& places, const std::vector<std::int64_t>& extents) {
  return places == whole_places ? std::nullopt : check_places(places, extents);
}

/// A tensor of cells: an index for each of `axes`, then the columns.
std::optional<Problem> check_cells(const std::vector<std::string>& axes, const View& out);

}  // namespace posenc
