// SPDX-License-Identifier: Apache-2.0
// The convention that a part of a JSON document states.
#pragma once

#include <posenc/convention.h>

#include "src/spec/json/json_node.h"

namespace posenc::io {

/// Errors: as convention_from_json says, but for what check_convention says.
Convention convention_of(const JsonNode& document);

}  // namespace posenc::io
