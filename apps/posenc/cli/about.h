// SPDX-License-Identifier: Apache-2.0
// What a .safetensors file says of its numbers, so that it can be told later what they are.
#pragma once

#include <posenc/io/safetensors.h>

#include "apps/posenc/cli/request.h"

namespace posenc::tool {

/// The version, the operation, the convention as JSON (--spec reads it), its name and recipe, and what the call says of
/// width and places.
io::Metadata about(const Arguments& arguments, const Choice& choice);
/// The same of numbers without a convention.
io::Metadata about(const Arguments& arguments);

}  // namespace posenc::tool
