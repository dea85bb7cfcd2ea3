// SPDX-License-Identifier: Apache-2.0
// The presets that a convention is, and the numbering in which they agree.
#include <posenc/cell_places.h>

#include <algorithm>

namespace posenc {

std::vector<const Preset*> presets_of(const Convention& convention) {
  std::vector<const Preset*> equal, stored_otherwise;
  const bool has_tables = !check_use("grid", ConventionUse::rotations, convention);
  for (const Preset& each : presets()) {
    if (each.convention == convention) equal.push_back(&each);
    if (!has_tables || !equal.empty()) continue;
    const auto is_storage = [](std::string_view difference) { return difference.starts_with("stored:"); };
    if (std::ranges::all_of(differences(each.convention, convention), is_storage)) stored_otherwise.push_back(&each);
  }
  return equal.empty() ? stored_otherwise : equal;
}

std::optional<Problem> check_cell_places(const Convention& convention) {
  const std::vector<const Preset*> equal = presets_of(convention);
  std::string names;
  bool agree = true;
  for (const Preset* each : equal) {
    agree = agree && places_of(*each) == places_of(*equal.front());
    names += (names.empty() ? "" : ", ") + std::string(each->name);
  }
  if (agree) return std::nullopt;
  return Problem{
      "grid", "places or the name of a preset must say how cells are numbered, as presets that are equal do not agree",
      names};
}

PlaceNumbering detail::cell_places(const Convention& convention) {
  const std::vector<const Preset*> equal = presets_of(convention);
  return equal.empty() ? whole_places : places_of(*equal.front());
}

}  // namespace posenc
