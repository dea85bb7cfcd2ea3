// SPDX-License-Identifier: Apache-2.0
// Rows in blocks, a picture of some of them, the report.
#include "apps/posenc/table/row_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/spec/spec.h>

#include <algorithm>
#include <memory>

#include "apps/posenc/cli/about.h"
#include "apps/posenc/cli/excerpt.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/notes.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/picture/tiles.h"
#include "apps/posenc/terminal/progress.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t row_block_bytes = std::int64_t{4} << 20;  // the caches have room for
constexpr std::int64_t ladder_bytes = 64;  // about what a column's frequency takes once it is ready

std::int64_t rows_of(const RowTable& table) {
  std::int64_t rows = 1;  // fits: check_row_table
  for (std::size_t axis = 0; axis + 1 < table.shape.size(); ++axis) rows *= table.shape[axis];
  return rows;
}

void write_numbers(const RowTable& table, const Arguments& arguments, const Out& out, const Files& others) {
  const std::int64_t width = table.shape.back(), count = rows_of(table);
  const auto row_bytes = width * static_cast<std::int64_t>(size_of(table.dtype));
  const std::int64_t most = std::max<std::int64_t>(1, row_block_bytes / row_bytes);
  const auto bytes = static_cast<std::size_t>(std::min(most, count) * row_bytes);
  const auto block = std::make_unique_for_overwrite<std::byte[]>(bytes);
  TensorTarget target(out, {.first = {std::string(table.operation), table.dtype, table.shape},
                            .about = about(arguments, *table.choice)});
  Progress progress(table.operation, table.unit, line_beside(out));
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t size = std::min(most, count - first);
    const View rows{block.get(), table.dtype, 2, {size, width}, {width, 1}};
    table.write(first, rows);
    target.write(rows);
    progress.at(first + size, share_of(first + size, count));
  }
  commit(others, &target.finish());
}

std::string shown(const RowTable& table) {
  return excerpt_lines(
      {table.words(), table.axis, rows_of(table), table.shape.back(), table.dtype, table.row_name, table.write});
}

std::string picture_of(const RowTable& table, const Targets& targets) {
  const std::string title =
      fmt::format("{}, width {}, recipe {}", table.title, table.shape.back(), table.choice->recipe.name);
  const MapRows rows = {rows_of(table), table.axis, table.row_name, table.write};
  const PictureFormat format = picture_format(table.operation, *targets.plot);
  if (table.shape.size() < 3) return draw({title, {{"", {heatmap("", rows, table.shape.back())}}}}, format);
  return draw({title, tiles(rows, table.shape, table.axes, format)}, format);
}

std::string report(const RowTable& table, const Targets& targets) {
  std::vector<JsonMember> json = {{"operation", table.operation},
                                  {"name", table.choice->name},
                                  {"convention", json_document(to_json(table.choice->convention))},
                                  {"recipe", table.choice->recipe.name},
                                  {"dim", table.dim},
                                  {"dtype", to_string(table.dtype)},
                                  {"shape", table.shape},
                                  {"axes", table.axes}};
  if (table.frequencies) json.push_back({"frequencies", table.frequencies()});
  json.push_back({"out", or_null(targets.out)});
  json.push_back({"plot", or_null(targets.plot)});
  return one_line(json_object(json));
}

}  // namespace

void check_row_table(std::string_view operation, std::int64_t rows, std::int64_t width, DType dtype,
                     const Targets& targets) {
  check_memory(operation, bytes_of(operation, width, ladder_bytes / 8, DType::f64));
  const std::int64_t bytes = bytes_of(operation, rows, width, dtype);
  if (targets.out) check_out(operation, *targets.out, dtype, bytes);
}

std::string RowTable::words() const {
  return fmt::format("{} [{}] ({}), {}, recipe {}", to_string(dtype), fmt::join(shape, ", "), fmt::join(axes, ", "),
                     choice->name, choice->recipe.name);
}

Said write_row_table(const RowTable& table, const Targets& targets, const Arguments& arguments) {
  Files plot;
  if (targets.plot) prepare(plot, *targets.plot, picture_of(table, targets), targets.writing);
  if (targets.out) {
    write_numbers(table, arguments, *targets.out, plot);
  } else {
    commit(plot);
  }
  std::vector<std::string> notes = table.notes;
  for (std::string& note : notes_of_choice(arguments, *table.choice)) notes.push_back(std::move(note));
  if (arguments.has("--json")) return {report(table, targets), std::move(notes)};
  if (targets.none()) return {shown(table), std::move(notes)};
  std::vector<std::string> written = target_notes(targets, table.words());
  notes.insert(notes.begin(), written.begin(), written.end());
  return {"", std::move(notes)};
}

}  // namespace posenc::tool
