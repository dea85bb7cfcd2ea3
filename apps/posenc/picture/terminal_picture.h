// SPDX-License-Identifier: Apache-2.0
// Pictures of tables in a terminal: blocks of colour, or signs where there are no colours.
#pragma once

#include "apps/posenc/picture/picture.h"

namespace posenc::tool {

/// The maps of a picture below each other, as wide as the terminal and at most 24 lines each; of neighbours where
/// a map has more, means or the largest. Lines end in newlines.
std::string terminal_picture(const Picture& picture);

}  // namespace posenc::tool
