// SPDX-License-Identifier: Apache-2.0
// Items by name: presets and recipes.
#pragma once

#include <algorithm>

#include "src/base/nearest.h"
#include "src/base/quote.h"
#include "src/base/to_text.h"

namespace posenc {

/// The item of that name, or null.
template <class T>
const T* find_named(std::span<const T> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? nullptr : &*found;
}

/// That a name is none of these, which names the nearest ones.
inline Problem unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string_view>& names) {
  const std::string near = listed(nearest(name, names, 3), [](std::string_view each) { return std::string(each); });
  return {std::string(kind), "name must be that of a " + std::string(kind) + ", of which " + near + " are nearest",
          quote(name)};
}

}  // namespace posenc
