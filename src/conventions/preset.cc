// SPDX-License-Identifier: Apache-2.0
// The presets: the rows of each family, every field stated.
#include <posenc/preset.h>

#include <algorithm>

#include "src/base/to_text.h"
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

Convention convention_of(const PresetRow& row, const std::vector<Preset>& before) {
  if (const auto* stated = std::get_if<Convention>(&row.convention)) return *stated;
  const auto& like = std::get<Like>(row.convention);
  const auto named = std::ranges::find(before, like.row, &Preset::name);
  return detail::changed(named == before.end() ? Convention() : named->convention,
                         like.changes);  // Convention(): no row
}

std::vector<Preset> make_presets() {
  std::vector<Preset> all;
  for (const auto& rows : {wave_rows(), rotary_rows(), slope_rows()}) {
    for (const PresetRow& row : rows) {
      all.push_back({row.name, convention_of(row, all), *find_recipe(row.recipe), row.stage, row.source, row.note});
    }
  }
  return all;
}

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> all = make_presets();
  return all;
}

}  // namespace

std::span<const Preset> presets() { return all_presets(); }

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : all_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::optional<Problem> check_preset(std::string_view name) {
  if (find_preset(name) != nullptr) return std::nullopt;
  return Problem{"preset",
                 "name must be one of " + listed(all_presets(), [](const Preset& p) { return std::string(p.name); }),
                 "'" + std::string(name) + "'"};
}

}  // namespace posenc
