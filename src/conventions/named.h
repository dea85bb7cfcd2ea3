// SPDX-License-Identifier: Apache-2.0
// Items by name: presets and recipes.
#pragma once

#include <algorithm>

#include "src/base/to_text.h"

namespace posenc {

/// The item of that name, or null.
template <class T>
const T* find_named(std::span<const T> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? nullptr : &*found;
}

/// The problem that there is no such item.
template <class T>
std::optional<Problem> check_named(std::string_view kind, std::span<const T> all, std::string_view name) {
  if (find_named(all, name) != nullptr) return std::nullopt;
  const std::string names = listed(all, [](const T& each) { return std::string(each.name); });
  return Problem{std::string(kind), "name must be one of " + names, "'" + std::string(name) + "'"};
}

}  // namespace posenc
