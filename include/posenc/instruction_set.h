// SPDX-License-Identifier: Apache-2.0
// Which vector instructions the kernels use on this machine. No bit of any output depends on them.
#pragma once

#include <posenc/core.h>

namespace posenc {

/// The name that Highway gives the instruction set in use: "AVX3_ZEN4", "AVX2", "SSE4", "NEON", "EMU128", ...
///
/// Chosen once, at the first call of a kernel or of this, from what the library was built for and the processor has.
/// Thread safety: yes.
[[nodiscard]] POSENC_EXPORT std::string_view instruction_set();

}  // namespace posenc
