// SPDX-License-Identifier: Apache-2.0
// Lines and columns counted from a known place on.
#include "src/text/unicode/line_column.h"

#include "src/text/unicode/utf8.h"

#include <algorithm>

namespace posenc::io {

TextPlace place_in(std::string_view text, std::size_t offset, TextPlace start) {
  text = text.substr(0, offset);
  const std::size_t last = text.rfind('\n');
  if (last != text.npos) {
    start = {start.line + std::ranges::count(text, '\n'), 1};
    text.remove_prefix(last + 1);
  }
  start.column += std::ranges::count_if(text, begins_scalar);
  return start;
}

void add_unknowns(Unknowns& all, std::int64_t count, std::string_view first, std::string_view text,
                  std::size_t offset) {
  if (all.count == 0) {
    const TextPlace place = place_in(text, offset);
    all = {0, std::string(first), static_cast<std::int64_t>(offset), place.line, place.column};
  }
  all.count += count;
}

void add_unknowns(Unknowns& all, Unknowns part, std::int64_t offset, TextPlace start) {
  if (all.count > 0 || part.count == 0) {
    all.count += part.count;
    return;
  }
  all = std::move(part);
  all.offset += offset;
  all.column += all.line == 1 ? start.column - 1 : 0;
  all.line += start.line - 1;
}

}  // namespace posenc::io
