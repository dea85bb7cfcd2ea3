// SPDX-License-Identifier: Apache-2.0
// The names most like one that is not there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::io {

/// At most four of `names`: `wanted` stands in them, or they in it, with a few letters changed. Without any, the first
/// ones. Long names and, among very many, late ones are passed over, so that the work is bounded.
std::vector<std::string_view> nearest_names(std::span<const std::string_view> names, std::string_view wanted);

/// ", such as 'a', 'b'" of nearest_names, cut so that a message stays below 300 bytes; empty where there are no names.
std::string such_as(std::span<const std::string_view> names, std::string_view wanted);

}  // namespace posenc::io
