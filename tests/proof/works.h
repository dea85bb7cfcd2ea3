// SPDX-License-Identifier: Apache-2.0
// The outputs whose bits are proven to be the same everywhere: more than 10^7, in a fixed order, to standard output.
#pragma once

#include "tests/proof/surroundings.h"

namespace posenc::proof {

void write_signals(const Surroundings& how);
void write_stages(const Surroundings& how);
void write_rotations(const Surroundings& how);

}  // namespace posenc::proof
