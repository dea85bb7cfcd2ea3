// SPDX-License-Identifier: Apache-2.0
// Numbers and shapes as text: the shortest form that reads back to the same value, in no locale.
#pragma once

#include <posenc/core.h>

namespace posenc {

std::string to_text(double value);
/// "[2, 3]"
std::string to_text(std::span<const std::int64_t> values);
std::string shape_text(const ConstView& view);

/// "a, b, c" of anything with a name.
template <class Range, class Name>
std::string listed(const Range& range, const Name& name) {
  std::string text;
  for (const auto& item : range) {
    if (!text.empty()) text += ", ";
    text += name(item);
  }
  return text;
}

}  // namespace posenc
