// SPDX-License-Identifier: Apache-2.0
// What a user should know of the convention that was chosen, beside the result.
#pragma once

#include "apps/posenc/cli/request.h"

namespace posenc::tool {

/// "a model states its own ladder.base"; of a preset that says so.
std::string stated_line(const Preset& preset);
/// The same line for the preset of the options; empty where --set states each of those numbers.
std::vector<std::string> notes_of_stated(const Arguments& arguments, const Choice& choice);
/// Notes on the chosen preset: the default numbering of cells, frequencies that are only an example, and an alias whose
/// model may have other numbers.
std::vector<std::string> notes_of_choice(const Arguments& arguments, const Choice& choice);

}  // namespace posenc::tool
