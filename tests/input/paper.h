// SPDX-License-Identifier: Apache-2.0
// The convention that the tests of the input stage add where any would do.
#pragma once

#include <posenc/preset.h>

namespace posenc::plain {

/// The published sinusoid of the Transformer paper.
inline const Convention& paper() { return preset("transformer").convention; }

}  // namespace posenc::plain
