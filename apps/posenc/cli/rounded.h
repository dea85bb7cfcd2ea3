// SPDX-License-Identifier: Apache-2.0
// A tensor in another type.
#pragma once

#include <posenc/io/npy.h>

namespace posenc::tool {

/// The elements of a real array, each rounded once to the type, to nearest, ties to even.
io::Array rounded_to(DType type, io::Array array);

}  // namespace posenc::tool
