// SPDX-License-Identifier: Apache-2.0
// Numbers and shapes as text.
#include "src/encodings/text.h"

#include <charconv>

namespace posenc {

std::string to_text(double value) {
  if (value != value) return "nan";  // whose sign depends on the machine
  std::array<char, 32> buffer;
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

std::string to_text(std::span<const std::int64_t> values) {
  return "[" + listed(values, [](std::int64_t v) { return std::to_string(v); }) + "]";
}

std::string shape_text(const ConstView& view) {
  return to_text(std::span(view.shape).first(static_cast<std::size_t>(view.rank)));
}

}  // namespace posenc
