// SPDX-License-Identifier: Apache-2.0
// Names of keys.
#pragma once

#include <span>
#include <string_view>

namespace posenc::config {

/// It holds a word of positions: rope, rotary, alibi, position, theta, yarn.
bool speaks_of_positions(std::string_view key);
/// Some family reads it, or it is passed.
bool is_known_key(std::string_view key);
/// It speaks of positions and decides none of their numbers.
bool is_passed_key(std::string_view key);

// Defined in foreign_keys.cc, which is generated.
/// No model reads them.
std::span<const std::string_view> silent_keys();
/// Model types without a row read them.
std::span<const std::string_view> keys_of_others();

}  // namespace posenc::config
