// SPDX-License-Identifier: Apache-2.0
// Flat rows of a grid that were cut within a row of cells.
#pragma once

#include <optional>

#include "src/referee/reading.h"

namespace posenc::referee {

/// The whole rows of cells, [H, W, d], behind `front` cells of a row whose others are missing, before `back` such ones.
struct CutGrid {
  ConstView whole;
  std::int64_t front, back;
};
/// Of a tensor [L, d] each of whose columns is the same in every row of cells, or one number all along a row. Nothing
/// where no row was cut, or fewer than two are whole.
std::optional<CutGrid> cut_grid_of(const ConstView& tensor);

}  // namespace posenc::referee
