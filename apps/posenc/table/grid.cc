// SPDX-License-Identifier: Apache-2.0
// posenc grid: the table of a two-axis convention over height x width cells.
#include <fmt/format.h>
#include <posenc/grid.h>
#include <posenc/sinusoid.h>

#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/table/row_table.h"

namespace posenc::tool {
namespace {

Said make_grid(const Arguments& arguments) {
  check_targets(arguments);
  const Choice choice = read_choice(arguments);
  require_use(arguments.operation, choice, Use::cells, "use posenc table for a sinusoid");
  const auto size = [&](std::string_view name) {
    return parse_integer(arguments.operation, name, arguments.get(name), 1);
  };
  const std::int64_t height = size("--height"), width = size("--width"), dim = read_dim(arguments);
  const DType dtype = read_dtype(arguments);
  const Targets targets = need_targets(arguments);
  const int thread_count = read_threads(arguments);
  require(GridRows::check(choice.convention, dim, choice.recipe));
  const std::int64_t cells = bytes_of(arguments.operation, height, width, DType::f16) / 2;
  const std::int64_t across = columns(choice.convention, dim);
  check_row_table(arguments.operation, cells, across, dtype, targets);
  Threads threads(thread_count);
  const GridChunks rows(GridRows(choice.convention, dim, choice.recipe), height, width, dtype, threads.executor());
  const RowTable table = {
      .operation = "grid",
      .choice = &choice,
      .dim = dim,
      .dtype = dtype,
      .shape = {height, width, across},
      .unit = "cells",
      .axis = "cell y, x",
      .title = fmt::format("{}: {} x {} cells", choice.name, height, width),
      .write = [&](std::int64_t first, const View& out) { rows.write(first, out, threads.executor()); },
      .row_name = [&](std::int64_t row) { return fmt::format("{}, {}", row / width, row % width); }};
  return write_row_table(table, targets, arguments);
}

constexpr Option grid_options[] = {preset_option,
                                   spec_option,
                                   set_option,
                                   {"--height", "H", "rows of cells (needed)"},
                                   {"--width", "W", "cells in a row (needed)"},
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
                                  "the position table of a two-axis convention",
                                  "",
                                  "",
                                  "posenc grid --preset mae-2d --height 14 --width 14 --dim 768 --out grid.npy",
                                  Operands::none,
                                  grid_options,
                                  make_grid};

}  // namespace posenc::tool
