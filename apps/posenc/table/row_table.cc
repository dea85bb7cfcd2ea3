// SPDX-License-Identifier: Apache-2.0
// Rows in blocks, a picture of some of them, the report.
#include "apps/posenc/table/row_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/spec.h>

#include <algorithm>
#include <memory>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/notes.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/target.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/terminal/progress.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t block_bytes = std::int64_t{4} << 20;  // the caches have room for
constexpr std::int64_t ladder_bytes = 64;                    // about what a column's frequency takes once it is ready

std::int64_t rows_of(const RowTable& table) {
  std::int64_t rows = 1;  // fits: check_row_table
  for (std::size_t axis = 0; axis + 1 < table.shape.size(); ++axis) rows *= table.shape[axis];
  return rows;
}

void write_numbers(const RowTable& table, const Targets& targets, const Files& others) {
  const std::int64_t width = table.shape.back(), count = rows_of(table);
  const auto row_bytes = width * static_cast<std::int64_t>(size_of(table.dtype));
  const std::int64_t most = std::max<std::int64_t>(1, block_bytes / row_bytes);
  const auto bytes = static_cast<std::size_t>(std::min(most, count) * row_bytes);
  const auto block = std::make_unique_for_overwrite<std::byte[]>(bytes);
  TensorTarget target(table.operation, *targets.out, {std::string(table.operation), table.dtype, table.shape}, {},
                      targets.writing);
  Progress progress(table.operation, table.unit);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t size = std::min(most, count - first);
    const View rows{block.get(), table.dtype, 2, {size, width}, {width, 1}};
    table.write(first, rows);
    target.write(rows);
    progress.at(first + size, share_of(first + size, count));
  }
  commit(others, &target.finish());
}

std::string picture_of(const RowTable& table, const Targets& targets) {
  const Sample kept = sample(rows_of(table), most_rows);
  std::vector<std::string> names;
  for (std::int64_t r = 0; r < kept.count; ++r) names.push_back(table.row_name(r * kept.stride));
  const auto write = [&](std::int64_t r, std::span<float> row) {
    table.write(r * kept.stride, view(row.data(), {1, std::ssize(row)}));
  };
  const std::int64_t width = table.shape.back();
  const std::string title = fmt::format("{}, width {}, recipe {}", table.title, width, table.choice->recipe.name);
  return draw({title, {{"", {heatmap("", axis_name(table.axis, kept.stride), std::move(names), width, write)}}}},
              picture_format(table.operation, *targets.plot));
}

std::string report(const RowTable& table, const Targets& targets) {
  Json json = {{"operation", table.operation},
               {"name", table.choice->name},
               {"convention", Json::parse(io::to_json(table.choice->convention))},
               {"recipe", table.choice->recipe.name},
               {"dim", table.dim},
               {"dtype", to_string(table.dtype)},
               {"shape", table.shape},
               {"axes", table.axes}};
  if (table.frequencies) json["frequencies"] = table.frequencies();
  json["out"] = or_null(targets.out);
  json["plot"] = or_null(targets.plot);
  return one_line(json);
}

}  // namespace

void check_row_table(std::string_view operation, std::int64_t rows, std::int64_t width, DType dtype,
                     const Targets& targets) {
  check_memory(operation, bytes_of(operation, width, ladder_bytes / 8, DType::f64));
  if (!targets.out) return;
  check_type(operation, *targets.out, dtype);
  check_space(operation, bytes_of(operation, rows, width, dtype), *targets.out);
}

Said write_row_table(const RowTable& table, const Targets& targets, const Arguments& arguments) {
  Files plot;
  if (targets.plot) prepare(plot, *targets.plot, picture_of(table, targets), targets.writing);
  if (targets.out) {
    write_numbers(table, targets, plot);
  } else {
    commit(plot);
  }
  std::vector<std::string> notes = table.notes;
  for (std::string& note : notes_of_choice(arguments, *table.choice)) notes.push_back(std::move(note));
  if (arguments.has("--json")) return {report(table, targets), std::move(notes)};
  std::vector<std::string> written = target_notes(
      targets, fmt::format("{} [{}] ({}), {}, recipe {}", to_string(table.dtype), fmt::join(table.shape, ", "),
                           fmt::join(table.axes, ", "), table.choice->name, table.choice->recipe.name));
  notes.insert(notes.begin(), written.begin(), written.end());
  return {"", std::move(notes)};
}

}  // namespace posenc::tool
