// SPDX-License-Identifier: Apache-2.0
// Rows in blocks, a picture of some of them, the report.
#include "apps/posenc/table/row_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/rows.h>

#include <algorithm>
#include <memory>

#include "apps/posenc/cli/about.h"
#include "apps/posenc/cli/excerpt.h"
#include "apps/posenc/cli/notes.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/unread.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/picture/tiles.h"
#include "apps/posenc/table/answer.h"
#include "apps/posenc/terminal/progress.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t row_block_bytes = std::int64_t{4} << 20;  // the caches have room for
constexpr std::int64_t ladder_bytes = 64;  // about what a column's frequency takes once it is ready

std::int64_t rows_of(const RowTable& table) {
  std::int64_t rows = 1;  // fits: RowCall
  for (std::size_t axis = 0; axis + 1 < table.shape.size(); ++axis) rows *= table.shape[axis];
  return rows;
}

void write_file(const RowCall& call, const RowTable& table, const Files& others) {
  const std::int64_t width = table.shape.back(), count = rows_of(table);
  const auto row_bytes = width * static_cast<std::int64_t>(size_of(call.dtype));
  const std::int64_t most = std::max<std::int64_t>(1, row_block_bytes / row_bytes);
  const auto bytes = static_cast<std::size_t>(std::min(most, count) * row_bytes);
  const auto block = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const std::string_view operation = call.arguments.operation;
  TensorTarget target(*call.targets.out, {.first = {std::string(operation), call.dtype, table.shape},
                                          .about = about(call.arguments, call.choice)});
  Progress progress(operation, table.unit, line_beside(*call.targets.out));
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t size = std::min(most, count - first);
    const View rows{block.get(), call.dtype, 2, {size, width}, {width, 1}};
    table.write(first, rows);
    target.write(rows);
    progress.at(first + size, share_of(first + size, count));
  }
  commit(others, &target.finish());
}

std::string picture_of(const RowCall& call, const RowTable& table) {
  const std::string title =
      fmt::format("{}, width {}, recipe {}", table.title, table.shape.back(), call.choice.recipe.name);
  const MapRows rows = {rows_of(table), table.axis, table.row_name, table.write};
  const PictureFormat format = picture_format(call.arguments.operation, *call.targets.plot);
  if (table.shape.size() < 3) return draw({title, {{"", {heatmap("", rows, table.shape.back())}}}}, format);
  return draw({title, tiles(rows, table.shape, table.axes, format)}, format);
}

}  // namespace

RowCall::RowCall(const Arguments& of_arguments, const Choice& of_choice, std::int64_t rows)
    : arguments(of_arguments),
      choice(of_choice),
      dim(read_dim(arguments, choice)),
      dtype(read_dtype(arguments)),
      targets(read_targets(arguments)),
      threads(read_threads(arguments)) {
  CheckedContext checked = read_checked_context(arguments, choice.name, [&](const Context& context) {
    return Rows::check(choice.convention, dim, {.recipe = choice.recipe, .context = context});
  });
  options = {.recipe = choice.recipe, .executor = threads.executor(), .context = checked.context};
  notes = std::move(checked.notes);
  const std::int64_t width = columns(choice.convention, dim);
  check_memory(arguments.operation, bytes_of(arguments.operation, width, ladder_bytes / 8, DType::f64));
  const std::int64_t bytes = bytes_of(arguments.operation, rows, width, dtype);
  if (targets.out) check_out(arguments.operation, *targets.out, dtype, bytes);
}

Said write_row_table(const RowCall& call, const RowTable& table) {
  const Targets& targets = call.targets;
  Files plot;
  if (targets.plot) prepare(plot, *targets.plot, picture_of(call, table), targets.writing);
  if (targets.out) {
    write_file(call, table, plot);
  } else {
    commit(plot);
  }
  const std::string& recipe = call.choice.recipe.name;
  const std::string words =
      fmt::format("{} [{}] ({}), {}, recipe {}", to_string(call.dtype), fmt::join(table.shape, ", "),
                  fmt::join(table.axes, ", "), call.choice.name, recipe);
  std::vector<JsonMember> report = {{"recipe", recipe},
                                    {"dim", call.dim},
                                    {"dtype", to_string(call.dtype)},
                                    {"shape", table.shape},
                                    {"axes", table.axes}};
  if (table.frequencies && call.arguments.has("--json")) report.push_back({"frequencies", table.frequencies()});
  const auto shown = [&] {
    return excerpt_lines(
        {words, table.axis, rows_of(table), table.shape.back(), call.dtype, table.row_name, table.write});
  };
  return said_of(
      {words, report, shown, all_notes({table.notes, call.notes, notes_of_choice(call.arguments, call.choice)})},
      call.arguments, call.choice, targets);
}

}  // namespace posenc::tool
