// SPDX-License-Identifier: Apache-2.0
// What a user should know of the convention that was chosen, beside the result.
#pragma once

#include "apps/posenc/cli/request.h"

namespace posenc::tool {

/// "a model states its own ladder.base"; of a preset that says so.
std::string stated_line(const Preset& preset);
/// That line, of a preset that was chosen, unless --set says each of those numbers.
std::vector<std::string> notes_of_stated(const Arguments& arguments, const Choice& choice);
/// How cells are numbered where nobody says; that frequencies are an example where the preset's are; that a model's
/// name, an alias of the preset, may stand for other numbers.
std::vector<std::string> notes_of_choice(const Arguments& arguments, const Choice& choice);

}  // namespace posenc::tool
