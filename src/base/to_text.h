// SPDX-License-Identifier: Apache-2.0
// Numbers and shapes as text: the shortest form that reads back to the same value, in no locale.
#pragma once

#include <posenc/core.h>

#include <charconv>

namespace posenc {

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

inline std::string to_text(double value) {
  if (value != value) return "nan";  // whose sign depends on the machine
  std::array<char, 32> buffer;
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

/// "[2, 3]"
inline std::string to_text(std::span<const std::int64_t> values) {
  return "[" + listed(values, [](std::int64_t v) { return std::to_string(v); }) + "]";
}

inline std::string shape_text(const ConstView& view) {
  return to_text(std::span(view.shape).first(static_cast<std::size_t>(view.rank)));
}

}  // namespace posenc
