// SPDX-License-Identifier: Apache-2.0
// posenc grid: the table of a convention of several axes over the cells of an image, a video, a volume.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/grid.h>
#include <posenc/sinusoid.h>

#include "apps/posenc/cli/extents.h"
#include "apps/posenc/cli/taken.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/cli/unread.h"
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
  const std::int64_t dim = read_dim(arguments, choice);
  const DType dtype = read_dtype(arguments);
  const Targets targets = read_targets(arguments);
  const int thread_count = read_threads(arguments);
  const Context context = read_context(arguments);
  const PlaceNumbering numbering = numbering_of(arguments, choice.numbered);
  const auto check = [&](const Context& each) {
    if (auto problem = check_use("grid", ConventionUse::cells, choice.convention)) return problem;
    return Rows::check(choice.convention, dim, {.recipe = choice.recipe, .context = each});
  };
  require_context(arguments, check(context));
  const std::int64_t cells = cell_count(arguments.operation, extents);
  const std::int64_t across = columns(choice.convention, dim);
  check_row_table(arguments.operation, cells, across, dtype, targets);
  Threads threads(thread_count);
  const GridChunks rows(Rows(choice.convention, dim, {.recipe = choice.recipe, .context = context}), extents, dtype,
                        numbering, threads.executor());
  std::vector<std::int64_t> shape = extents;
  shape.push_back(across);
  std::vector<std::string> names = axes;
  names.emplace_back("column");
  RowTable table = {
      .operation = "grid",
      .choice = &choice,
      .dim = dim,
      .dtype = dtype,
      .shape = shape,
      .axes = names,
      .unit = "cells",
      .axis = fmt::format("cell {}", fmt::join(axes, ", ")),
      .title = fmt::format("{}: {} cells", choice.name, fmt::join(extents, " x ")),
      .write = [&](std::int64_t first, const View& out) { rows.write(first, out, threads.executor()); },
      .row_name = [&](std::int64_t row) { return fmt::format("{}", fmt::join(cell_at(extents, row), ", ")); },
      .notes = notes_of_taken};
  for (std::string& note : notes_of_context(arguments, choice.name, context, check)) {
    table.notes.push_back(std::move(note));
  }
  return write_row_table(table, targets, arguments);
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
