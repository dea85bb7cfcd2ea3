// SPDX-License-Identifier: Apache-2.0
// The two files that are part of the program.
#pragma once

#include <string_view>

namespace posenc::tool {

std::string_view embedded_default();  ///< whisper_base_3072.bin
std::string_view embedded_licence();  ///< LICENSE.whisper

}  // namespace posenc::tool
