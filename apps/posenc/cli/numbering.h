// SPDX-License-Identifier: Apache-2.0
// How the cells of an image are numbered: by a preset, a role of --config, or the preset that is equal to a --spec.
#pragma once

#include <posenc/preset.h>

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

inline constexpr Option whole_places_option = {
    "--whole-places", "", "number cells 0, 1, .. where the preset numbers them otherwise", Takes::nothing};

/// What the source of a convention says of it. A document of --spec has no numbering of its own.
struct CellNumbers {
  std::optional<PlaceNumbering> places = {};   ///< none: not known
  std::vector<std::string_view> presets = {};  ///< equal to the document, where they number cells in different ways
};

/// Of a preset or a role: as it says, or 0, 1, ..
CellNumbers numbered_as(const std::optional<PlaceNumbering>& places);
/// The numbering of a document that names no preset, by the rule of cell_places.h.
CellNumbers numbered_as(const Convention& stated);

/// That of the choice, or 0, 1, .. under --whole-places and where it is not known. Refused where extents are given and
/// the presets do not agree.
PlaceNumbering numbering_of(const Arguments& arguments, const CellNumbers& numbered);
/// A note where cells are numbered 0, 1, .. as nothing says how.
std::vector<std::string> notes_of_cells(const Arguments& arguments, const CellNumbers& numbered);

}  // namespace posenc::tool
