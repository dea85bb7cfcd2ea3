// SPDX-License-Identifier: Apache-2.0
// Coordinates of the cells of grids, for tests that draw tables and caches.
#pragma once

#include <posenc/cell_places.h>

#include <algorithm>
#include <string>
#include <vector>

namespace posenc {

/// The coordinates of every cell, axis by axis, as the preset's original numbers them; one axis without a numbering of
/// its own begins at `first`.
inline std::vector<std::vector<double>> cells_of(const Preset& preset, const std::vector<std::int64_t>& extents,
                                                 std::int64_t first = 0) {
  const std::vector<std::string> order = cell_axes(preset.convention);
  std::int64_t cells = 1;
  for (const std::int64_t extent : extents) cells *= extent;
  std::vector<std::vector<double>> lists;
  for (const std::string& name : axes_of(preset.convention)) {
    const auto index = static_cast<std::size_t>(std::ranges::find(order, name) - order.begin());
    std::vector<double> along(static_cast<std::size_t>(extents[index]));
    const bool numbered = preset.places.has_value() || extents.size() > 1;
    if (numbered) {
      place_coordinates(places_of(preset), extents, index, view(along.data(), {std::ssize(along)}));
    }
    std::int64_t behind = 1;
    for (std::size_t a = index + 1; a < extents.size(); ++a) behind *= extents[a];
    std::vector<double>& list = lists.emplace_back();
    for (std::int64_t i = 0; i < cells; ++i) {
      const std::int64_t at = i / behind % extents[index];
      list.push_back(numbered ? along[static_cast<std::size_t>(at)] : static_cast<double>(first + at));
    }
  }
  return lists;
}

}  // namespace posenc
