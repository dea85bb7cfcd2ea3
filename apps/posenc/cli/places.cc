// SPDX-License-Identifier: Apache-2.0
// From the words of --positions, or of extents, to a list for each axis.
#include "apps/posenc/cli/places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/convention.h>

#include <algorithm>

#include "apps/posenc/cli/letter_case.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// The words that the option gives each axis, in the order of axes; "t=0:4" names its own.
struct AxisWords {
  std::vector<std::optional<std::string>> of_axes;
  std::optional<std::string> of_all = {};  // without a name
};

AxisWords split_words(const Arguments& arguments, std::string_view option, const std::vector<std::string>& axes) {
  AxisWords words{std::vector<std::optional<std::string>>(axes.size())};
  const auto put = [&](std::optional<std::string>& place, const std::string& said) {
    if (place) {
      refuse(arguments.operation, fmt::format("{} must be given once{}", option, axes.size() > 1 ? " for an axis" : ""),
             quote(*place) + " and " + quote(said));
    }
    place = said;
  };
  for (const std::string& word : arguments.all(option)) {
    const std::size_t sign = word.find('=');
    const std::string name = in_listed_case(word.substr(0, std::min(sign, word.size())), axes);
    const auto axis = std::ranges::find(axes, name);
    if (sign == word.npos || axis == axes.end()) {
      put(words.of_all, word);
    } else {
      put(words.of_axes[static_cast<std::size_t>(axis - axes.begin())], word.substr(sign + 1));
    }
  }
  return words;
}

Places from_words(const Arguments& arguments, std::string_view option, const std::vector<std::string>& axes,
                  const AxisWords& words) {
  Places places{.axes = axes};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (!words.of_axes[a]) refuse(arguments.operation, fmt::format("{} {}=... must be given", option, axes[a]), "none");
    places.kept.push_back(parse_positions(arguments.operation, option, *words.of_axes[a]));
    places.lists.push_back(places.kept.back().positions);
    if (places.lists[a].count_ == places.count()) continue;
    refuse(arguments.operation, fmt::format("{} must have as many positions on every axis", option),
           fmt::format("{} on {} and {} on {}", places.count(), axes[0], places.lists[a].count_, axes[a]));
  }
  return places;
}

std::string file_words(const std::vector<std::string>& axes, Sequences sequences) {
  const bool batch = sequences == Sequences::batch;
  if (axes.size() == 1) return batch ? "be [L] or [B, L]" : "have one axis";
  return fmt::format("be [L, {0}]{1}, {2} along its last axis,", axes.size(),
                     batch ? fmt::format(" or [B, L, {}]", axes.size()) : "", fmt::join(axes, ", "));
}

// [L] or [B, L] of one axis, a last axis of coordinates more of several.
Places from_file(const Arguments& arguments, std::string_view option, const std::vector<std::string>& axes,
                 const std::string& path, Sequences sequences) {
  Places places{.axes = axes};
  places.file = io::read_npy(path);
  const ConstView items = places.file->view();
  const int last = axes.size() == 1 ? 0 : 1, rank = items.rank - last;
  const bool batch = sequences == Sequences::batch && rank == 2;
  if ((rank != 1 && !batch) || items.count() == 0 || (last == 1 && items.size(-1) != std::ssize(axes))) {
    refuse(arguments.operation,
           fmt::format("a file of {} must {} and not be empty", option.substr(2), file_words(axes, sequences)),
           fmt::format("{} of shape [{}]", quote(path), fmt::join(places.file->shape, ", ")));
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    ConstView list = items;
    list.data = static_cast<const std::byte*>(items.data) + a * size_of(items.dtype);
    list.rank = rank;
    places.lists.push_back(Positions::list(list));
    require(check_positions(arguments.operation, places.lists.back()));
  }
  return places;
}

// Those of the places of an axis; nothing where they are 0, 1, ..
std::vector<double> coordinates_of(const PlaceNumbering& numbering, const std::vector<std::int64_t>& extents,
                                   std::size_t axis) {
  if (numbering == whole_places) return {};
  std::vector<double> list(static_cast<std::size_t>(extents[axis]));
  place_coordinates(numbering, extents, axis, view(list.data(), {std::ssize(list)}));
  return list;
}

Places from_extents(const Arguments& arguments, const std::vector<std::string>& axes,
                    const std::vector<std::string>& of_cells, const PlaceNumbering& numbering) {
  const std::vector<std::int64_t> extents = read_extents(arguments, of_cells);
  const std::int64_t cells = cell_count(arguments.operation, extents);
  check_memory(arguments.operation, bytes_of(arguments.operation, cells, std::ssize(axes), DType::i64));
  Places places{.axes = axes};
  for (const std::string& axis : axes) {
    const auto index = static_cast<std::size_t>(std::ranges::find(of_cells, axis) - of_cells.begin());
    const std::vector<double> coordinates = coordinates_of(numbering, extents, index);
    const auto keep = [&]<class Number>(std::vector<Number> values) {
      values.reserve(static_cast<std::size_t>(cells));
      for (std::int64_t cell = 0; cell < cells; ++cell) {
        const std::int64_t at = cell_at(extents, cell)[index];
        values.push_back(coordinates.empty() ? static_cast<Number>(at)
                                             : static_cast<Number>(coordinates[static_cast<std::size_t>(at)]));
      }
      const Positions list = Positions::list(view(std::as_const(values).data(), {cells}));
      places.kept.push_back({list, std::move(values)});
      places.lists.push_back(list);
    };
    coordinates.empty() ? keep(std::vector<std::int64_t>()) : keep(std::vector<double>());
  }
  return places;
}

}  // namespace

std::string Places::name(std::int64_t place) const {
  std::vector<std::string> at;
  for (const Positions& list : lists) at.push_back(tool::name(list, place));
  return fmt::format("{}", fmt::join(at, ", "));
}

Places read_places(const Arguments& arguments, std::string_view option, const Convention& convention,
                   Sequences sequences, const PlaceNumbering& numbering) {
  std::vector<std::string> axes = axes_of(convention);
  if (axes.empty()) axes = {"position"};
  if (arguments.has(option) && has_extents(arguments)) {
    refuse(arguments.operation, fmt::format("one of {} and the extents of cells must be given", option),
           quote(arguments.get(option)));
  }
  if (has_extents(arguments)) return from_extents(arguments, axes, cell_axes(convention), numbering);
  AxisWords words = split_words(arguments, option, axes);
  const bool by_axis = std::ranges::any_of(words.of_axes, [](const auto& each) { return each.has_value(); });
  if (by_axis && words.of_all) {
    refuse(arguments.operation,
           fmt::format("{} must name an axis, of {}, or be given once", option, fmt::join(axes, ", ")),
           quote(*words.of_all));
  }
  if (by_axis) return from_words(arguments, option, axes, words);
  if (!words.of_all) refuse(arguments.operation, fmt::format("{} must be given", option), "none");
  if (words.of_all->ends_with(".npy")) return from_file(arguments, option, axes, *words.of_all, sequences);
  if (axes.size() > 1) {
    refuse(arguments.operation,
           fmt::format("{} must name each axis, {}=..., or be a .npy file", option, fmt::join(axes, "=..., ")),
           quote(*words.of_all));
  }
  words.of_axes[0] = words.of_all;
  return from_words(arguments, option, axes, words);
}

PickedPlaces::PickedPlaces(const Places& places, std::int64_t first, std::int64_t count) {
  for (const Positions& list : places.lists) values_.push_back(pick(list, first, count));
  for (const PositionValues& values : values_) lists_.push_back(as_positions(values));
}

}  // namespace posenc::tool
