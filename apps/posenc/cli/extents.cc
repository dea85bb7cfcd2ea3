// SPDX-License-Identifier: Apache-2.0
// Extents by axis, from text to numbers.
#include "apps/posenc/cli/extents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "apps/posenc/cli/letter_case.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// The option that states the extent of an axis: y and x have their own.
std::string option_of(const std::string& axis) {
  return axis == "y" ? "--height" : axis == "x" ? "--width" : "--extent";
}

// By axis, what --extent says.
std::map<std::string, std::string> stated_extents(const Arguments& arguments, const std::vector<std::string>& axes) {
  std::map<std::string, std::string> stated;
  for (const std::string& word : arguments.all("--extent")) {
    const std::size_t sign = word.find('=');
    if (sign == word.npos || sign == 0) refuse(arguments.operation, "--extent must be AXIS=N", quote(word));
    if (!stated.emplace(in_listed_case(word.substr(0, sign), axes), word.substr(sign + 1)).second) {
      refuse(arguments.operation, "--extent must state an axis once", quote(word));
    }
  }
  return stated;
}

}  // namespace

bool has_extents(const Arguments& arguments) {
  return arguments.has("--height") || arguments.has("--width") || arguments.has("--extent");
}

std::pair<std::string, std::string> extent_setting(const std::string& axis, std::int64_t extent) {
  const std::string option = option_of(axis);
  return {option, option == extent_option.name ? fmt::format("{}={}", axis, extent) : fmt::format("{}", extent)};
}

void state_extent(Arguments& arguments, const std::string& axis, std::int64_t extent) {
  const auto [option, value] = extent_setting(axis, extent);
  arguments.values[option].push_back(value);
}

std::vector<std::string> missing_extents(const Arguments& arguments, const std::vector<std::string>& axes) {
  const std::map<std::string, std::string> stated = stated_extents(arguments, axes);
  std::vector<std::string> names;
  for (const std::string& axis : axes) {
    const std::string option = option_of(axis);
    const bool own = option != extent_option.name;
    if (own ? arguments.has(option) : stated.contains(axis)) continue;
    names.push_back(own ? option : fmt::format("{} {}=N", option, axis));
  }
  return names;
}

std::vector<std::int64_t> read_extents(const Arguments& arguments, const std::vector<std::string>& axes) {
  std::map<std::string, std::string> stated = stated_extents(arguments, axes);
  require_given(arguments, missing_extents(arguments, axes));
  std::vector<std::int64_t> extents;
  for (const std::string& axis : axes) {
    const std::string option = option_of(axis);
    if (option != "--extent") {
      extents.push_back(parse_integer(arguments.operation, option, arguments.get(option), 1));
      continue;
    }
    const auto found = stated.find(axis);
    extents.push_back(parse_integer(arguments.operation, fmt::format("--extent {}", axis), found->second, 1));
    stated.erase(found);
  }
  const std::string all = fmt::format("{}", fmt::join(axes, ", "));
  for (const std::string axis : {"y", "x"}) {
    if (!arguments.has(option_of(axis)) || std::ranges::find(axes, axis) != axes.end()) continue;
    refuse(arguments.operation,
           fmt::format("{} must come with an axis {}: the axes are {}", option_of(axis), axis, all),
           quote(arguments.get(option_of(axis))));
  }
  if (stated.empty()) return extents;
  refuse(
      arguments.operation,
      fmt::format("--extent must name an axis, but for y and x, which have --height and --width: the axes are {}", all),
      quote(stated.begin()->first));
}

std::int64_t cell_count(std::string_view operation, const std::vector<std::int64_t>& extents) {
  std::int64_t cells = extents.front();
  for (const std::int64_t extent : extents | std::views::drop(1)) {
    const std::optional<std::int64_t> more = product(cells, extent);
    if (!more) {
      refuse(operation, "a grid must have at most 2^63 - 1 cells", fmt::format("{} cells", fmt::join(extents, " x ")));
    }
    cells = *more;
  }
  return cells;
}

std::vector<std::int64_t> cell_at(const std::vector<std::int64_t>& extents, std::int64_t cell) {
  std::vector<std::int64_t> at(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; cell /= extents[i]) at[i] = cell % extents[i];
  return at;
}

}  // namespace posenc::tool
