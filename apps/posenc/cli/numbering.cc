// SPDX-License-Identifier: Apache-2.0
// The numbering of cells, where it is known.
#include "apps/posenc/cli/numbering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/posenc/cli/extents.h"
#include "apps/posenc/cli/problem.h"

namespace posenc::tool {
namespace {

// How a rotation is stored changes no angle, and caches are asked for with a form.
bool is_storage(std::string_view difference) { return difference.starts_with("stored:"); }

std::vector<const Preset*> equal_to(const Convention& stated) {
  std::vector<const Preset*> equal, stored_otherwise;
  for (const Preset& preset : presets()) {
    const std::vector<std::string> found = differences(preset.convention, stated);
    if (found.empty()) equal.push_back(&preset);
    if (std::ranges::all_of(found, is_storage)) stored_otherwise.push_back(&preset);
  }
  return equal.empty() ? stored_otherwise : equal;
}

bool says_whole(const Arguments& arguments) { return arguments.has(whole_places_option.name); }

}  // namespace

CellNumbers numbered_as(const std::optional<PlaceNumbering>& places) { return {places.value_or(whole_places)}; }

CellNumbers numbered_as(const Convention& stated) {
  const std::vector<const Preset*> equal = equal_to(stated);
  if (equal.empty()) return {};
  const CellNumbers first = numbered_as(equal.front()->places);
  CellNumbers several;
  bool agree = true;
  for (const Preset* preset : equal) {
    agree = agree && numbered_as(preset->places).places == first.places;
    several.presets.push_back(preset->name);
  }
  return agree ? first : several;
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
