// SPDX-License-Identifier: Apache-2.0
// A preset's convention by its name.
#pragma once

#include <posenc/preset.h>

namespace posenc::test {

inline const Convention& named(std::string_view name) { return preset(name).convention; }

}  // namespace posenc::test
