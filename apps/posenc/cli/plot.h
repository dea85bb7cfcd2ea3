// SPDX-License-Identifier: Apache-2.0
// Where --plot goes.
#pragma once

#include "apps/posenc/cli/cli.h"

namespace posenc::tool {

/// Refuses a --plot of no format that is known, and one for standard output beside what else goes there.
void check_plot(const Arguments& arguments);

}  // namespace posenc::tool
