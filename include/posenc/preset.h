// SPDX-License-Identifier: Apache-2.0
// Presets: conventions by name, with the code base each one comes from. Thread safety: constant data.
#pragma once

#include <posenc/convention.h>
#include <posenc/places.h>
#include <posenc/recipe.h>
#include <posenc/scale.h>

namespace posenc {

/// The order of the tensor axes of an input stage: [B, L, d] or [L, B, d].
enum class Axes : std::uint8_t { batch_first = 1, sequence_first };

POSENC_EXPORT std::string_view to_string(Axes axes);

/// What the original does around its table.
struct StageDefaults {
  Scale scale;
  double dropout;  ///< the probability its constructor defaults to, or 0
  Axes axes;
  std::optional<std::int64_t> max_len;  ///< rows of the original's table; posenc has no such wall
};

struct Preset {
  std::string_view name;
  Convention convention;
  Recipe original;  ///< the arithmetic of the original; ours is exact unless asked
  StageDefaults stage;
  std::string_view source;
  std::string_view note;
  std::vector<std::string_view> aliases;  ///< models and code bases whose convention it is as well; stages may differ
  std::optional<PlaceNumbering> places;   ///< how the original numbers the places of every axis, if not 0, 1, 2, ..
  std::vector<std::string_view>
      stated;  ///< paths of fields that a model's own file states: its number counts, not ours
};

/// All presets, in the order of the documentation.
POSENC_EXPORT std::span<const Preset> presets();
/// By its name or an alias; nullptr when there is none.
POSENC_EXPORT const Preset* find_preset(std::string_view name);
/// Names of models and schemes that have no row, and why: there is no convention, or one that is out of scope.
struct WithoutPreset {
  std::vector<std::string_view> names;
  std::string_view reason;
};
POSENC_EXPORT std::span<const WithoutPreset> names_without_preset();
/// nullptr when the name is none of them.
POSENC_EXPORT const WithoutPreset* find_without_preset(std::string_view name);

/// The problem tells why a name has no row, or names the presets that are nearest.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_preset(std::string_view name);
inline const Preset& preset(std::string_view name) {
  require(check_preset(name));
  return *find_preset(name);
}

}  // namespace posenc
