// SPDX-License-Identifier: Apache-2.0
// The files that are part of the program, or of the Python module.
#pragma once

#include <string_view>

namespace posenc::tool {

std::string_view embedded_default();         ///< whisper_base_3072.bin
std::string_view embedded_licence();         ///< LICENSE.whisper
std::string_view embedded_default_tokens();  ///< whisper_base_3072.bin up to its rows

}  // namespace posenc::tool
