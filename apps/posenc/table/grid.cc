// SPDX-License-Identifier: Apache-2.0
// posenc grid: the table of a convention of several axes over the cells of an image, a video, a volume.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/grid.h>
#include <posenc/sinusoid.h>

#include <ranges>

#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/table/row_table.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// The option that states the extent of an axis: y and x have their own.
std::string option_of(const std::string& axis) {
  return axis == "y" ? "--height" : axis == "x" ? "--width" : "--extent";
}

// By axis, what --extent says.
std::map<std::string, std::string> stated_extents(const Arguments& arguments) {
  std::map<std::string, std::string> stated;
  for (const std::string& word : arguments.all("--extent")) {
    const std::size_t sign = word.find('=');
    if (sign == word.npos || sign == 0) refuse(arguments.operation, "--extent must be AXIS=N", quote(word));
    if (!stated.emplace(word.substr(0, sign), word.substr(sign + 1)).second) {
      refuse(arguments.operation, "--extent must state an axis once", quote(word));
    }
  }
  return stated;
}

// Of every axis, in the order of the indices of a cell; each must be stated, and no other.
std::vector<std::int64_t> read_extents(const Arguments& arguments, const std::vector<std::string>& axes) {
  std::map<std::string, std::string> stated = stated_extents(arguments);
  std::vector<std::int64_t> extents;
  for (const std::string& axis : axes) {
    const std::string option = option_of(axis);
    if (option != "--extent") {
      extents.push_back(parse_integer(arguments.operation, option, arguments.get(option), 1));
      continue;
    }
    const auto found = stated.find(axis);
    if (found == stated.end()) refuse(arguments.operation, fmt::format("--extent {}=N must be given", axis), "none");
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

std::int64_t product_of(const Arguments& arguments, const std::vector<std::int64_t>& extents) {
  std::int64_t cells = extents.front();
  for (const std::int64_t extent : extents | std::views::drop(1)) {
    cells = bytes_of(arguments.operation, cells, extent, DType::f16) / 2;
  }
  return cells;
}

// "1, 0, 4": the indices of a cell.
std::string cell_name(const std::vector<std::int64_t>& extents, std::int64_t cell) {
  std::vector<std::int64_t> at(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; cell /= extents[i]) at[i] = cell % extents[i];
  return fmt::format("{}", fmt::join(at, ", "));
}

Said make_grid(const Arguments& arguments) {
  check_targets(arguments);
  const Choice choice = read_choice(arguments);
  require_use(arguments.operation, choice, Use::cells, "use posenc table for a sinusoid");
  const std::vector<std::string> axes = cell_axes(choice.convention);
  const std::vector<std::int64_t> extents = read_extents(arguments, axes);
  const std::int64_t dim = read_dim(arguments, choice);
  const DType dtype = read_dtype(arguments);
  const Targets targets = need_targets(arguments);
  const int thread_count = read_threads(arguments);
  require(GridRows::check(choice.convention, dim, choice.recipe));
  const std::int64_t cells = product_of(arguments, extents);
  const std::int64_t across = columns(choice.convention, dim);
  check_row_table(arguments.operation, cells, across, dtype, targets);
  Threads threads(thread_count);
  const GridChunks rows(GridRows(choice.convention, dim, choice.recipe), extents, dtype, threads.executor());
  std::vector<std::int64_t> shape = extents;
  shape.push_back(across);
  const std::string axis = fmt::format("cell {}", fmt::join(axes, ", "));
  const RowTable table = {
      .operation = "grid",
      .choice = &choice,
      .dim = dim,
      .dtype = dtype,
      .shape = shape,
      .unit = "cells",
      .axis = axis,
      .title = fmt::format("{}: {} cells", choice.name, fmt::join(extents, " x ")),
      .write = [&](std::int64_t first, const View& out) { rows.write(first, out, threads.executor()); },
      .row_name = [&](std::int64_t row) { return cell_name(extents, row); }};
  return write_row_table(table, targets, arguments);
}

constexpr Option grid_options[] = {preset_option,
                                   spec_option,
                                   config_option,
                                   set_option,
                                   {"--height", "H", "rows of cells, of axis y (needed where there is one)"},
                                   {"--width", "W", "cells in a row, of axis x (needed where there is one)"},
                                   {"--extent", "AXIS=N", "cells along another axis, t=8; one each", Takes::many},
                                   dim_option,
                                   recipe_option,
                                   ladder_option,
                                   dtype_option,
                                   out_option,
                                   plot_option,
                                   threads_option,
                                   no_sync_option};

}  // namespace

constinit const Verb grid_verb = {"grid",
                                  "the position table of a convention of several axes",
                                  "",
                                  "",
                                  "posenc grid --preset mae-2d --height 14 --width 14 --dim 768 --out grid.npy",
                                  Operands::none,
                                  grid_options,
                                  make_grid};

}  // namespace posenc::tool
