// SPDX-License-Identifier: Apache-2.0
// Explanations as JSON.
#pragma once

#include <posenc/explain.h>

#include "apps/posenc/cli/json.h"

namespace posenc::tool {

/// title, recipe, entries, pair: the fields of the struct by their names. Bits are hexadecimal text; a number that is
/// not finite is null.
Json json_of(const Explanation& explanation);
Json json_of(const Parting& parting);

}  // namespace posenc::tool
