// SPDX-License-Identifier: Apache-2.0
// Numbers that were measured, as text of a few digits, and lists of which the first few are told.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <string>
#include <string_view>

#include "src/base/to_text.h"

namespace posenc::referee {

/// Formats a number with at most `digits` digits: 0.7104, 1.2e-05. Zero has no sign.
inline std::string short_text(double value, int digits) {
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value + 0.0, std::chars_format::general, digits);
  return {buffer.data(), end.ptr};
}

/// An element of a type as its shortest text: 0.4 of f32, which as a double is 0.4000000059604645.
inline std::string element_text(double value, DType type) {
  if (type == DType::f64 || is_integer(type) || value != value) return to_text(value);
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  return {buffer.data(), end.ptr};
}

/// "row 17 is ", "rows 17, 20 are ", "rows 0, 1, .. and 20 more are "
inline std::string counted(std::string_view what, std::span<const std::int64_t> all) {
  constexpr std::size_t few = 8;
  std::string words =
      posenc::listed(all.first(std::min(few, all.size())), [](std::int64_t i) { return std::to_string(i); });
  if (all.size() > few) words += " and " + std::to_string(all.size() - few) + " more";
  return std::string(what) + (all.size() == 1 ? " " : "s ") + words + (all.size() == 1 ? " is " : " are ");
}

/// "all 40 rows hold position 5"; behind others "rows 3 to 39 hold position 5".
inline std::string words_of_one_position(std::int64_t first, std::int64_t count, double position) {
  const std::string rows = first == 0 ? "all " + std::to_string(count) + " rows"
                                      : "rows " + std::to_string(first) + " to " + std::to_string(first + count - 1);
  return rows + " hold position " + short_text(position, 8);
}

}  // namespace posenc::referee
