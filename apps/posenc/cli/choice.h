// SPDX-License-Identifier: Apache-2.0
// Which convention a call names, and what it changes of it.
#pragma once

#include <posenc/preset.h>

#include <functional>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/numbering.h"

namespace posenc::tool {

/// Taken where no convention is named, by verbs that can do without.
inline constexpr std::string_view default_preset = "transformer";

/// What the options may be, for the completion.
std::vector<std::string> preset_choices(const Arguments& arguments);
std::vector<std::string> recipe_choices(const Arguments& arguments);
std::vector<std::string> set_choices(const Arguments& arguments);
/// The same of --set for a convention: "layout=interleaved", "ladder.base=" where the value is no word.
std::vector<std::string> change_choices(const Arguments& arguments, const Convention& convention);

/// A verb whose operand is a preset.
constexpr Verb preset_verb(std::string_view name, std::string_view summary, std::string_view example,
                           std::span<const Option> options, Said (*run)(const Arguments& arguments)) {
  return {name,    summary, "NAME",        "is a preset, in the place of --preset.", example, Operands::preset,
          options, run,     preset_choices};
}

/// The preset of a name or an alias in any case; nullptr where there is none.
const Preset* find_named(std::string_view name);
/// Whether the call has --preset, --spec or --config.
bool names_convention(const Arguments& arguments);

/// A convention, and the arithmetic that rounds it.
struct Choice {
  std::string name;      ///< the preset's or the spec's file, and what the options change
  const Preset* preset;  ///< nullptr for a spec
  Convention convention;
  Recipe recipe;
  CellNumbers numbered = {};              ///< how cells are, whatever --set and --ladder change
  std::optional<std::int64_t> dim = {};   ///< of a role of --config: columns of its head or of its row
  std::optional<Scale> scale = {};        ///< of a role of --config, where it is an embedding's
  std::vector<std::int64_t> cells = {};   ///< of a role of --config: height and width of its window
  std::optional<std::int64_t> rows = {};  ///< of a table of tokens: those of the preset's original, or of the model
};

/// --preset, --spec or --config, --set, --ladder, --recipe. `preset` is taken where neither of the first two is given.
Choice read_choice(const Arguments& arguments, std::optional<std::string_view> preset = std::nullopt);
/// Names the further arguments that the chosen convention requires and the call lacks.
using FurtherMissing = std::function<std::vector<std::string>(const Choice& choice)>;
/// Reads the choice of a verb that requires a convention of that use and these options, and names all missing arguments
/// at once. --positions and --steps need not be given where with_positions() completes them or beside extents of cells,
/// nor --dim beside a role of --config that has it.
Choice read_choice_for(const Arguments& arguments, std::optional<ConventionUse> use,
                       std::initializer_list<std::string_view> needed, const FurtherMissing& further = {});
/// The convention with what --set and --ladder change of it.
Convention changed(const Arguments& arguments, const Convention& convention);
/// "transformer with layout=sine_first": a changed convention is not the preset.
std::string changed_name(const Arguments& arguments, std::string_view name);
/// The verb that makes what a convention gives: "rotary".
std::string_view verb_of(const Convention& convention);
/// Refuses a convention that does not give what it is used for, and names that verb.
void require_use(std::string_view operation, const Choice& choice, ConventionUse use);

}  // namespace posenc::tool
