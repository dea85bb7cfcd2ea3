// SPDX-License-Identifier: Apache-2.0
// The numbering of cells, where it is known.
#include "apps/posenc/cli/numbering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/cell_places.h>

#include <algorithm>

#include "apps/posenc/cli/extents.h"
#include "apps/posenc/cli/problem.h"

namespace posenc::tool {
namespace {

bool says_whole(const Arguments& arguments) { return arguments.has(whole_places_option.name); }

}  // namespace

CellNumbers numbered_as(const std::optional<PlaceNumbering>& places) { return {places.value_or(whole_places)}; }

CellNumbers numbered_as(const Convention& stated) {
  const std::vector<const Preset*> equal = presets_of(stated);
  if (equal.empty()) return {};
  if (!check_cell_places(stated)) return {cell_places(stated)};
  CellNumbers several;
  for (const Preset* preset : equal) several.presets.push_back(preset->name);
  return several;
}

PlaceNumbering numbering_of(const Arguments& arguments, const CellNumbers& numbered) {
  if (says_whole(arguments)) return whole_places;
  if (!numbered.presets.empty() && has_extents(arguments)) {
    refuse(
        arguments.operation,
        "--whole-places, or a preset in place of --spec, must say how cells are numbered, as several are equal to it",
        fmt::format("{}", fmt::join(numbered.presets, ", ")));
  }
  return numbered.places.value_or(whole_places);
}

std::vector<std::string> notes_of_cells(const Arguments& arguments, const CellNumbers& numbered) {
  if (numbered.places || says_whole(arguments) || !has_extents(arguments)) return {};
  return {"cells are numbered 0, 1, .., as no preset is equal to --spec; --whole-places says so"};
}

}  // namespace posenc::tool
