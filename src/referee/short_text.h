// SPDX-License-Identifier: Apache-2.0
// Numbers that were measured, as text of a few digits.
#pragma once

#include <array>
#include <charconv>
#include <string>

namespace posenc::referee {

/// With at most so many digits: 0.7104, 1.2e-05.
inline std::string short_text(double value, int digits) {
  std::array<char, 32> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
  return {buffer.data(), end.ptr};
}

}  // namespace posenc::referee
