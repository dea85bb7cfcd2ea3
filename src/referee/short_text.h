// SPDX-License-Identifier: Apache-2.0
// Numbers that were measured, as text of a few digits.
#pragma once

#include <array>
#include <charconv>
#include <string>

#include "src/base/to_text.h"

namespace posenc::referee {

/// With at most so many digits: 0.7104, 1.2e-05.
inline std::string short_text(double value, int digits) {
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  return {buffer.data(), end.ptr};
}

/// An element of a type as its shortest text: 0.4 of f32, which as a double is 0.4000000059604645.
inline std::string element_text(double value, DType type) {
  if (type == DType::f64 || is_integer(type) || value != value) return to_text(value);
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<float>(value));
  return {buffer.data(), end.ptr};
}

}  // namespace posenc::referee
