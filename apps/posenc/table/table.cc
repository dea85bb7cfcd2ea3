// SPDX-License-Identifier: Apache-2.0
// posenc table: the rows of a one-axis convention at any positions, as .npy and as a picture.
#include <fmt/format.h>
#include <posenc/sinusoid.h>

#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/table/row_table.h"

namespace posenc::tool {
namespace {

Said make_table(const Arguments& arguments) {
  check_targets(arguments);
  const Choice choice = read_choice(arguments);
  const auto gives = [&](Use use) { return !check_use(arguments.operation, use, choice.convention); };
  require_use(arguments.operation, choice, Use::rows,
              gives(Use::rotations) ? "a rotation turns other rows and has none"
              : gives(Use::slopes)  ? "a bias is added to scores and has no rows"
              : gives(Use::cells)   ? "use posenc grid for a grid"
                                    : "posenc table makes rows of one axis");
  const std::int64_t dim = read_dim(arguments, choice);
  const ParsedPositions parsed = parse_positions(arguments.operation, arguments.get("--positions"));
  const Positions& positions = parsed.positions;
  const DType dtype = read_dtype(arguments);
  const Targets targets = need_targets(arguments);
  const int thread_count = read_threads(arguments);
  require(SinusoidRows::check(choice.convention, dim, choice.recipe));
  check_row_table(arguments.operation, positions.count_, columns(choice.convention, dim), dtype, targets);
  Threads threads(thread_count);
  const SinusoidRows rows(choice.convention, dim, choice.recipe);
  const RowTable table = {.operation = "table",
                          .choice = &choice,
                          .dim = dim,
                          .dtype = dtype,
                          .shape = {positions.count_, rows.width()},
                          .unit = "rows",
                          .axis = "position",
                          .title = fmt::format("{}: {} positions", choice.name, positions.count_),
                          .write =
                              [&](std::int64_t first, const View& out) {
                                rows.write(as_positions(pick(positions, first, out.size(0))), out, threads.executor());
                              },
                          .row_name = [&](std::int64_t row) { return name(positions, row); },
                          .frequencies = [&] { return rows.frequencies(); }};
  return write_row_table(table, targets, arguments);
}

constexpr Option table_options[] = {
    preset_option,
    spec_option,
    config_option,
    set_option,
    dim_option,
    {"--positions", "A:B[:S]|LIST|FILE.npy", "A, A + S, ... without B; or 3,1,4; or a file of shape [L] (needed)"},
    recipe_option,
    ladder_option,
    dtype_option,
    out_option,
    plot_option,
    threads_option,
    no_sync_option};

}  // namespace

constinit const Verb table_verb = {
    "table",
    "the position table of a one-axis convention",
    "",
    "",
    "posenc table --preset whisper --dim 384 --positions 0:1500 --out pe.npy --plot pe.png",
    Operands::none,
    table_options,
    make_table};

}  // namespace posenc::tool
