// SPDX-License-Identifier: Apache-2.0
// What presets says of presets, as text or under --json.
#pragma once

#include "apps/posenc/cli/request.h"

namespace posenc::tool {

/// The names that --family may be: those of short forms and those of fields.
std::vector<std::string> preset_families();
/// Presets whose name, aliases, source or note hold the word, or else all of its parts, in any case and whatever stands
/// between parts, which are letters or digits: qwen3_moe, Qwen 3 MoE. Of the family that --family names. Those whose
/// name or alias it is come first, then those whose names hold it.
std::vector<Preset> presets_that_hold(const Arguments& arguments, std::string_view word);
/// Names of the others that hold the word: "llama" is one convention, and a word of several.
std::vector<std::string_view> others_that_hold(const Arguments& arguments, std::string_view word,
                                               std::string_view name);

/// A line each.
std::string list_of(const Arguments& arguments, const std::vector<Preset>& listed);
/// Why a name has no row, in any case, then the rows that hold it; nothing for any other word.
std::optional<std::string> told_without(const Arguments& arguments, std::string_view word);
/// Where the word is a model type of posenc inspect: which of its rows a model has, its configuration says.
std::vector<std::string> notes_of_type(std::string_view word);
/// Everything about one.
std::string told(const Arguments& arguments, const Preset& preset, std::span<const std::string_view> others);

}  // namespace posenc::tool
