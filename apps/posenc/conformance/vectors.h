// SPDX-License-Identifier: Apache-2.0
// The vectors as files: an index and the numbers.
#pragma once

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

/// DIR/index.json and DIR/vectors.safetensors; the folder is made where there is none.
Said write_vectors(const Arguments& arguments, const std::string& folder);

}  // namespace posenc::tool
