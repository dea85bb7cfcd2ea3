// SPDX-License-Identifier: Apache-2.0
// Conventions of presets that several tests start from.
#pragma once

#include <posenc/preset.h>

namespace posenc::test {

inline const Convention& transformer = preset("transformer").convention;
inline const Convention& rope = preset("rope-half").convention;

}  // namespace posenc::test
