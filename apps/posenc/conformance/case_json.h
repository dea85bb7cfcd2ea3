// SPDX-License-Identifier: Apache-2.0
// Cases as JSON: in the index of vectors, and as requests to a command.
#pragma once

#include <posenc/conformance.h>

#include "apps/posenc/cli/json.h"

namespace posenc::tool {

/// What a case asks for: case, operation, convention, and what of dim, axes, positions, head, window, context and
/// head_width it has; the shape of the answer, its type, "f32" or "i64", and
/// the roundings of the original in words.
Json json_of(const ConformanceCase& of);

}  // namespace posenc::tool
