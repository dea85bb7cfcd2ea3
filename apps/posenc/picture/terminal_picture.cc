// SPDX-License-Identifier: Apache-2.0
// The lines of --show, for any map.
#include "apps/posenc/picture/terminal_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/show.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_lines = 24, narrowest = 16;

std::string lines_of(const Heatmap& map, std::int64_t width) {
  std::size_t label = 0;
  for (const std::string& name : map.row_names) label = std::max(label, printable(name).size());
  const std::int64_t room = std::max(narrowest, width - static_cast<std::int64_t>(label) - 1);
  const Heatmap shown = smaller(map, most_lines, room);
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  for (std::size_t r = 0; r < shown.row_names.size(); ++r) {
    names.push_back(printable(shown.row_names[r]));
    const auto first = shown.values.begin() + static_cast<std::ptrdiff_t>(r) * shown.columns;
    rows.emplace_back(first, first + shown.columns);
  }
  const std::string heading = map.title.empty() ? "" : printable(map.title) + "\n";
  return fmt::format("{}down: {}; across: {}\n{}", heading, shown.down.name.empty() ? "row" : shown.row_words(),
                     shown.column_words(), heat_lines(names, rows, ink_of_standard_output()));
}

}  // namespace

std::string terminal_picture(const Picture& picture) {
  const std::int64_t width = terminal_width();
  std::string text = printable(picture.title) + "\n";
  for (const Band& band : picture.bands) {
    text += band.title.empty() ? "" : "\n" + printable(band.title) + "\n";
    for (const Heatmap& map : band.maps) text += "\n" + lines_of(map, width);
  }
  return text;
}

}  // namespace posenc::tool
