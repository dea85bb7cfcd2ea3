// SPDX-License-Identifier: Apache-2.0
// The kernels of sines and cosines answer for all.
#include <posenc/instruction_set.h>

#include "src/engine/tables/sincos_kernel.h"

namespace posenc {

std::string_view instruction_set() { return engine::kernel_target(); }

}  // namespace posenc
