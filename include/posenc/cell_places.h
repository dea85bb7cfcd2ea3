// SPDX-License-Identifier: Apache-2.0
// How the cells of a grid are numbered where a call states no places. Thread safety: constant data.
#pragma once

#include <posenc/preset.h>

namespace posenc {

/// As the original of a preset numbers the places of every axis.
inline PlaceNumbering places_of(const Preset& preset) { return preset.places.value_or(whole_places); }

/// The presets that are this convention; where none is, those that are it but for how tables of a rotation are stored.
POSENC_EXPORT std::vector<const Preset*> presets_of(const Convention& convention);

/// Under a convention that was asked by no preset's name: as the presets that are it number theirs; 0, 1, 2, .. where
/// none is it. Errors: they do so in different ways.
inline PlaceNumbering cell_places(const Convention& convention);
/// The problem that cell_places would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_cell_places(const Convention& convention);

namespace detail {
POSENC_EXPORT PlaceNumbering cell_places(const Convention& convention);
}
inline PlaceNumbering cell_places(const Convention& convention) {
  require(check_cell_places(convention));
  return detail::cell_places(convention);
}

}  // namespace posenc
