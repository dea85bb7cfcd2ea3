// SPDX-License-Identifier: Apache-2.0
// A picture of conventions: their ladders, and how alike places are by their distance.
#pragma once

#include "apps/posenc/cli/request.h"
#include "apps/posenc/picture/canvas.h"

namespace posenc::tool {

/// The bytes of the picture, of one convention or several on the same axes. A scaled ladder stands beside the plain
/// one.
std::string preset_picture(const Arguments& arguments, std::span<const Choice> choices, PictureFormat format);

}  // namespace posenc::tool
