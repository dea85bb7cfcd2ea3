// SPDX-License-Identifier: Apache-2.0
// The scale and the axes of an input stage as words of the command line.
#pragma once

#include <posenc/preset.h>

namespace posenc::tool {

/// Letters of ASCII in lower case.
std::string in_lower_case(std::string_view text);
/// "none", "sqrt" or a number; with "rounded to TYPE" where the scale says so.
std::string words(const Scale& scale);
/// "batch-first" or "sequence-first".
std::string words(Axes axes);

Scale parse_scale(std::string_view operation, std::string_view text);
Axes parse_axes(std::string_view operation, std::string_view text);

}  // namespace posenc::tool
