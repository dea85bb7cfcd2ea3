// SPDX-License-Identifier: Apache-2.0
// The outputs whose bits are proven to be the same everywhere.
#pragma once

#include "tests/proof/surroundings.h"

namespace posenc::proof {

/// All of them, in a fixed order, to standard output.
void write_all(const Surroundings& how);

}  // namespace posenc::proof
