// SPDX-License-Identifier: Apache-2.0
// Model positions read from the JSON that to_json writes.
#pragma once

#include <posenc/spec/inspect.h>

#include "src/spec/json/json_node.h"

namespace posenc::config {

ModelPositions positions_of_json(const io::JsonNode& document);

}  // namespace posenc::config
