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
/// The same of options: first the one that means what other tools call so (-o, --output: --out).
std::string nearest_option(std::string_view option, std::span<const std::string> names);
/// Tells whether `option` is the name that other tools give to `ours`: -o, --output and --out for --out.
bool stands_for(std::string_view option, std::string_view ours);
/// The same of types of elements: float16 of NumPy and PyTorch is f16.
std::string nearest_type(std::string_view type, std::span<const std::string> names);

}  // namespace posenc::tool
