// SPDX-License-Identifier: Apache-2.0
// Names of keys.
#pragma once

#include <string_view>

namespace posenc::config {

/// It holds a word of positions: rope, rotary, alibi, position, theta, yarn.
bool speaks_of_positions(std::string_view key);
/// Some family reads it, or it is passed.
bool is_known_key(std::string_view key);
/// It speaks of positions and decides none of their numbers.
bool is_passed_key(std::string_view key);

}  // namespace posenc::config
