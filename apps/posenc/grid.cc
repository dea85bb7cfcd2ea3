// SPDX-License-Identifier: Apache-2.0
// posenc grid: the table of a two-axis convention over height x width cells.
#include <fmt/format.h>
#include <posenc/file.h>
#include <posenc/grid.h>
#include <posenc/spec.h>

#include <algorithm>

#include "apps/posenc/json.h"
#include "apps/posenc/numbers.h"
#include "apps/posenc/output.h"
#include "apps/posenc/picture.h"
#include "apps/posenc/request.h"
#include "apps/posenc/target.h"

namespace posenc::tool {
namespace {

struct GridRequest {
  Choice choice;
  std::int64_t height, width, dim;
  DType dtype;
  Targets targets;
};

GridRequest read_request(const Arguments& arguments) {
  const auto size = [&](std::string_view name) {
    return parse_integer(arguments.operation, name, arguments.get(name), 1);
  };
  return {read_choice(arguments), size("--height"),      size("--width"),
          read_dim(arguments),    read_dtype(arguments), need_targets(arguments)};
}

// The bytes of the table; the request is sound and what it needs fits in memory.
std::int64_t check_request(std::string_view operation, const GridRequest& request) {
  const std::int64_t cells = bytes_of(operation, request.height, request.width, DType::f16) / 2;
  const std::int64_t bytes = bytes_of(operation, cells, request.dim, request.dtype);
  if (request.targets.out) check_type("grid", *request.targets.out, request.dtype);
  check_memory(operation, request.targets.plot ? bytes_of(operation, cells, request.dim, DType::f32) : 0);
  check_memory(operation, bytes);
  return bytes;
}

std::string draw_grid(const GridRequest& request) {
  const std::int64_t cells = request.height * request.width;
  std::vector<float> table(static_cast<std::size_t>(cells * request.dim));
  grid(request.choice.convention, view(table.data(), {request.height, request.width, request.dim}),
       request.choice.recipe);
  const Sample kept = sample(cells, most_rows);
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < kept.count; ++i) {
    const std::int64_t cell = i * kept.stride;
    names.push_back(fmt::format("{}, {}", cell / request.width, cell % request.width));
  }
  const auto write = [&](std::int64_t r, std::span<float> row) {
    std::copy_n(table.data() + r * kept.stride * request.dim, row.size(), row.data());
  };
  const std::string title = fmt::format("{}: {} x {} cells, width {}, recipe {}", request.choice.name, request.height,
                                        request.width, request.dim, request.choice.recipe.name);
  return draw({title, {{"", {heatmap("", axis_name("cell y, x", kept.stride), names, request.dim, write)}}}},
              picture_format("grid", *request.targets.plot));
}

void write_grid(const GridRequest& request, std::int64_t bytes) {
  std::vector<std::byte> table(static_cast<std::size_t>(bytes));
  const std::int64_t shape[] = {request.height, request.width, request.dim};
  const View out = detail::row_major<void*>(table.data(), request.dtype, shape);
  grid(request.choice.convention, out, request.choice.recipe);
  TensorTarget target("grid", *request.targets.out,
                      {"grid", request.dtype, {request.height, request.width, request.dim}}, {},
                      request.targets.writing);
  target.write(out);
  target.commit();
}

std::string report(const GridRequest& request) {
  const Json json = {{"operation", "grid"},
                     {"name", request.choice.name},
                     {"convention", Json::parse(io::to_json(request.choice.convention))},
                     {"recipe", request.choice.recipe.name},
                     {"dim", request.dim},
                     {"dtype", to_string(request.dtype)},
                     {"shape", {request.height, request.width, request.dim}},
                     {"out", or_null(request.targets.out)},
                     {"plot", or_null(request.targets.plot)}};
  return one_line(json);
}

std::string run(const Arguments& arguments) {
  const GridRequest request = read_request(arguments);
  const std::int64_t bytes = check_request(arguments.operation, request);
  const std::string picture = request.targets.plot ? draw_grid(request) : "";
  const auto plot = prepare(request.targets.plot, picture, request.targets.writing);
  if (request.targets.out) write_grid(request, bytes);
  if (plot) plot->commit();
  if (arguments.has("--json")) return report(request);
  const std::string what = fmt::format("{} [{}, {}, {}], {}, recipe {}", to_string(request.dtype), request.height,
                                       request.width, request.dim, request.choice.name, request.choice.recipe.name);
  note_targets(request.targets, what);
  return "";
}

constexpr Option options[] = {preset_option,
                              spec_option,
                              {"--height", "H", "rows of cells (needed)"},
                              {"--width", "W", "cells in a row (needed)"},
                              dim_option,
                              recipe_option,
                              ladder_option,
                              dtype_option,
                              out_option,
                              plot_option,
                              no_sync_option};

}  // namespace

constinit const Verb grid_verb = {"grid",
                                  "the position table of a two-axis convention",
                                  "",
                                  "posenc grid --preset mae-2d --height 14 --width 14 --dim 768 --out grid.npy",
                                  Operands::none,
                                  options,
                                  run};

}  // namespace posenc::tool
