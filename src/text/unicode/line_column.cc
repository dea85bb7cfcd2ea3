// SPDX-License-Identifier: Apache-2.0
// Lines and columns counted from a known place on.
#include "src/text/unicode/line_column.h"

#include "src/base/quote.h"
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

std::string in_line(TextPlace place, std::string_view name) {
  return " in line " + std::to_string(place.line) + ", column " + std::to_string(place.column) + " of " +
         quote(name, Keep::tail);
}

void add_unknowns(Unknowns& all, const FoundUnknowns& found, std::string_view text) {
  if (all.count == 0 && found.count > 0) {
    const TextPlace place = place_in(text, found.offset);
    all = {0, found.first, static_cast<std::int64_t>(found.offset), place.line, place.column};
  }
  all.count += found.count;
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
