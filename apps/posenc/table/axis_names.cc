// SPDX-License-Identifier: Apache-2.0
// Which option has the positions of an axis.
#include "apps/posenc/table/axis_names.h"

#include <fmt/format.h>

namespace posenc::tool {
namespace {

std::optional<Places> places_by(const Arguments& arguments, std::string_view option) {
  if (!arguments.has(option)) return std::nullopt;
  Places places{.axes = {"position"}};
  places.kept.push_back(parse_positions(arguments.operation, option, arguments.get(option)));
  places.lists.push_back(places.kept.back().positions);
  return places;
}

}  // namespace

AxisNames::AxisNames(const Arguments& arguments, const Convention& convention)
    : queries_(places_by(arguments, "--queries")), keys_(places_by(arguments, "--keys")) {
  if (arguments.has("--positions") || has_extents(arguments)) {
    places_ = read_places(arguments, "--positions", convention);
  }
}

std::string AxisNames::of(std::string_view axis, std::int64_t index) const {
  const bool query = axis == "query", key = axis == "key";
  if (query && queries_) return queries_->name(index);
  if (key && keys_) return keys_->name(index);
  if (places_ && (query || key || axis == places_->axis())) return places_->name(index);
  return fmt::format("{}", index);
}

}  // namespace posenc::tool
