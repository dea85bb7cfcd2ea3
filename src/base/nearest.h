// SPDX-License-Identifier: Apache-2.0
// Which names a mistyped word is near to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace posenc {

/// The `count` names that the fewest edits turn into the word, nearest first; of equal ones in their order. Of a longer
/// word its first 40 bytes are read.
std::vector<std::string_view> nearest(std::string_view word, const std::vector<std::string_view>& names,
                                      std::size_t count);

}  // namespace posenc
