// SPDX-License-Identifier: Apache-2.0
// posenc table: the rows of a one-axis convention at any positions, as .npy and as a picture.
#include <fmt/format.h>
#include <posenc/file.h>
#include <posenc/sinusoid.h>
#include <posenc/spec.h>

#include <algorithm>

#include "apps/posenc/json.h"
#include "apps/posenc/output.h"
#include "apps/posenc/picture.h"
#include "apps/posenc/positions.h"
#include "apps/posenc/progress.h"
#include "apps/posenc/request.h"
#include "apps/posenc/target.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t block_bytes = std::int64_t{1} << 24;
constexpr std::int64_t ladder_bytes = 64;  // about what a column's frequency takes once it is ready

struct TableRequest {
  Choice choice;
  std::int64_t dim;
  ParsedPositions positions;
  DType dtype;
  Targets targets;
  std::int64_t count() const { return positions.positions.count_; }
};

TableRequest read_request(const Arguments& arguments) {
  return {read_choice(arguments), read_dim(arguments),
          parse_positions(arguments.operation, arguments.get("--positions")), read_dtype(arguments),
          need_targets(arguments)};
}

void check_request(std::string_view operation, const TableRequest& request) {
  require(SinusoidRows::check(request.choice.convention, request.dim, request.choice.recipe));
  const std::int64_t width = columns(request.choice.convention, request.dim);
  check_memory(operation, bytes_of(operation, width, ladder_bytes / 8, DType::f64));
  if (!request.targets.out) return;
  check_type("table", *request.targets.out, request.dtype);
  check_space(operation, bytes_of(operation, request.count(), width, request.dtype), *request.targets.out);
}

// Block by block, so that a table may be larger than the memory.
void write_table(const TableRequest& request, const SinusoidRows& rows) {
  const std::int64_t width = rows.width(), count = request.count();
  const auto row_bytes = width * static_cast<std::int64_t>(size_of(request.dtype));
  const std::int64_t most = std::max<std::int64_t>(1, block_bytes / row_bytes);
  std::vector<std::byte> block(static_cast<std::size_t>(std::min(most, count) * row_bytes));
  TensorTarget target("table", *request.targets.out, {"table", request.dtype, {count, width}}, {},
                      request.targets.writing);
  Progress progress("table", "rows");
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t size = std::min(most, count - first);
    const PositionValues values = pick(request.positions.positions, first, size);
    View view{block.data(), request.dtype, 2, {size, width}, {width, 1}};
    rows.write(as_positions(values), view);
    target.write(view);
    progress.at(first + size, share_of(first + size, count));
  }
  target.commit();
}

std::string draw_table(const TableRequest& request, const SinusoidRows& rows) {
  const Sample kept = sample(request.count(), most_rows);
  const PositionValues values = pick(request.positions.positions, 0, kept.count, kept.stride);
  const auto write = [&](std::int64_t r, std::span<float> row) {
    const PositionValues one = pick(request.positions.positions, r * kept.stride, 1);
    rows.write(as_positions(one), view(row.data(), {1, std::ssize(row)}));
  };
  const std::string title = fmt::format("{}: {} positions, width {}, recipe {}", request.choice.name, request.count(),
                                        rows.width(), request.choice.recipe.name);
  return draw({title, {{"", {heatmap("", axis_name("position", kept.stride), names(values), rows.width(), write)}}}},
              picture_format("table", *request.targets.plot));
}

std::string report(const TableRequest& request, const SinusoidRows& rows) {
  Json json = {{"operation", "table"},
               {"name", request.choice.name},
               {"convention", Json::parse(io::to_json(request.choice.convention))},
               {"recipe", request.choice.recipe.name},
               {"dim", request.dim},
               {"dtype", to_string(request.dtype)},
               {"shape", {request.count(), rows.width()}},
               {"frequencies", rows.frequencies()},
               {"out", or_null(request.targets.out)},
               {"plot", or_null(request.targets.plot)}};
  return one_line(json);
}

std::string run(const Arguments& arguments) {
  const TableRequest request = read_request(arguments);
  check_request(arguments.operation, request);
  const SinusoidRows rows(request.choice.convention, request.dim, request.choice.recipe);
  const std::string picture = request.targets.plot ? draw_table(request, rows) : "";
  const auto plot = prepare(request.targets.plot, picture, request.targets.writing);
  if (request.targets.out) write_table(request, rows);
  if (plot) plot->commit();
  if (arguments.has("--json")) return report(request, rows);
  const std::string what = fmt::format("{} [{}, {}], {}, recipe {}", to_string(request.dtype), request.count(),
                                       rows.width(), request.choice.name, request.choice.recipe.name);
  note_targets(request.targets, what);
  return "";
}

constexpr Option options[] = {
    preset_option,
    spec_option,
    dim_option,
    {"--positions", "A:B[:S]|LIST|FILE.npy", "A, A + S, ... without B; or 3,1,4; or a file of shape [L] (needed)"},
    recipe_option,
    ladder_option,
    dtype_option,
    out_option,
    plot_option,
    no_sync_option};

}  // namespace

constinit const Verb table_verb = {
    "table",
    "the position table of a one-axis convention",
    "",
    "posenc table --preset whisper --dim 384 --positions 0:1500 --out pe.npy --plot pe.png",
    Operands::none,
    options,
    run};

}  // namespace posenc::tool
