// SPDX-License-Identifier: Apache-2.0
// The presets: the rows of each family, every field stated.
#include <posenc/preset.h>

#include "src/base/environment.h"
#include "src/base/made_once.h"
#include "src/conventions/named.h"
#include "src/conventions/presets.h"

namespace posenc {

std::string_view to_string(Axes axes) {
  switch (axes) {
    case Axes::batch_first: return "batch_first";
    case Axes::sequence_first: return "sequence_first";
  }
  return "no axes";
}

namespace {

Convention convention_of(const PresetRow& row, std::span<const Preset> before) {
  if (const auto* stated = std::get_if<Convention>(&row.convention)) return *stated;
  const auto& like = std::get<Like>(row.convention);
  const Preset* named = find_named(before, like.row);
  return detail::changed(named == nullptr ? Convention() : named->convention, like.changes);  // Convention(): no row
}

std::vector<Preset> make_presets() {
  const DefaultEnvironment environment;  // of the first caller, and all others read them
  std::vector<Preset> all;
  for (const auto& rows : {wave_rows(), coordinate_rows(), rotary_rows(), rotary_axes_rows(), slope_rows(),
                           relative_rows(), learned_rows()}) {
    for (const PresetRow& row : rows) {
      all.push_back({row.name, convention_of(row, all), *find_recipe(row.recipe), row.stage, row.source, row.note,
                     row.aliases, row.places, row.stated});
    }
  }
  return all;
}

}  // namespace

std::span<const Preset> presets() { return made_once<make_presets>(); }

const Preset* find_preset(std::string_view name) {
  const auto has_name = [&](const Preset& preset) {
    return preset.name == name || std::ranges::find(preset.aliases, name) != preset.aliases.end();
  };
  const auto found = std::ranges::find_if(presets(), has_name);
  return found == presets().end() ? nullptr : &*found;
}

std::optional<Problem> check_preset(std::string_view name) {
  if (find_preset(name) != nullptr) return std::nullopt;
  if (const WithoutPreset* known = find_without_preset(name)) {
    std::string reason(known->reason.substr(0, known->reason.find_last_of('.')));
    return Problem{"preset", "name must be that of a preset, which this one is not (" + reason + ")", quote(name)};
  }
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) {
    names.push_back(preset.name);
    names.insert(names.end(), preset.aliases.begin(), preset.aliases.end());
  }
  return unknown_name("preset", name, names);
}

}  // namespace posenc
