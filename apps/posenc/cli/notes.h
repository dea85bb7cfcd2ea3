// SPDX-License-Identifier: Apache-2.0
// What a user should know of the convention that was chosen, beside the result.
#pragma once

#include "apps/posenc/cli/request.h"

namespace posenc::tool {

/// How cells are numbered where nobody says; that frequencies are an example where the preset's are.
std::vector<std::string> notes_of_choice(const Arguments& arguments, const Choice& choice);

}  // namespace posenc::tool
