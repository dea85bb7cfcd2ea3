// SPDX-License-Identifier: Apache-2.0
// posenc grid: the table of a convention of several axes over the cells of an image, a video, a volume.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/grid.h>
#include <posenc/sinusoid.h>

#include "apps/posenc/cli/extents.h"
#include "apps/posenc/cli/taken.h"
#include "apps/posenc/table/row_table.h"

namespace posenc::tool {
namespace {

// Its axes are the convention's; a call without one is told of those of an image.
Choice read_grid(const Arguments& arguments) {
  const bool taken = is_shown(arguments) && !has_extents(arguments);
  if (!names_convention(arguments) && !taken)
    return read_choice_for(arguments, ConventionUse::cells, {"--height", "--width", "--dim"});
  return read_choice_for(arguments, ConventionUse::cells, {"--dim"}, [&](const Choice& choice) {
    return taken ? std::vector<std::string>() : missing_extents(arguments, cell_axes(choice.convention));
  });
}

Said make_grid(const Arguments& stated) {
  check_targets(stated);
  const Choice choice = read_grid(stated);
  const std::vector<std::string> axes = cell_axes(choice.convention);
  const auto [arguments, notes_of_taken] = with_extents(stated, axes);
  const std::vector<std::int64_t> extents = read_extents(arguments, axes);
  const RowCall call(arguments, choice, cell_count(arguments.operation, extents));
  const GridChunks rows(Rows(choice.convention, call.dim, call.options), extents, call.dtype,
                        numbering_of(arguments, choice.numbered), call.options.executor);
  std::vector<std::int64_t> shape = extents;
  shape.push_back(columns(choice.convention, call.dim));
  std::vector<std::string> names = axes;
  names.emplace_back("column");
  return write_row_table(
      call, {.shape = shape,
             .axes = names,
             .unit = "cells",
             .axis = fmt::format("cell {}", fmt::join(axes, ", ")),
             .title = fmt::format("{}: {} cells", choice.name, fmt::join(extents, " x ")),
             .write = [&](std::int64_t first, const View& out) { rows.write(first, out, call.options.executor); },
             .row_name = [&](std::int64_t row) { return fmt::format("{}", fmt::join(cell_at(extents, row), ", ")); },
             .notes = notes_of_taken});
}

constexpr auto grid_options = joined(convention_options,
                                     {height_option, width_option, extent_option, whole_places_option, dim_option,
                                      recipe_option, ladder_option, learned_option},
                                     out_and_plot_options);

}  // namespace

constinit const Verb grid_verb =
    preset_verb("grid", "the position table of the cells of an image, a video, a volume",
                "posenc grid mae-2d --height 14 --width 14 --dim 768 --out grid.npy", grid_options, make_grid);

}  // namespace posenc::tool
