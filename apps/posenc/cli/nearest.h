// SPDX-License-Identifier: Apache-2.0
// Which word a mistyped one is near to.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace posenc::tool {

/// " (nearest: --dim)", the name that the fewest typing errors turn into the word: letters too many, too few, wrong, or
/// two that changed places. Nothing where even that has more errors than two in five letters.
std::string nearest_words(std::string_view word, std::span<const std::string> names);

}  // namespace posenc::tool
