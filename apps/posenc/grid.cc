// SPDX-License-Identifier: Apache-2.0
// posenc grid: the table of a two-axis convention over height x width cells.
#include <fmt/format.h>
#include <posenc/grid.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cstring>

#include "apps/posenc/elements.h"
#include "apps/posenc/numbers.h"
#include "apps/posenc/output.h"
#include "apps/posenc/row_table.h"
#include "apps/posenc/threads.h"

namespace posenc::tool {
namespace {

struct GridRequest {
  Choice choice;
  std::int64_t height, width, dim;
  DType dtype;
  Targets targets;
  int threads;
};

GridRequest read_request(const Arguments& arguments) {
  check_targets(arguments);
  const auto size = [&](std::string_view name) {
    return parse_integer(arguments.operation, name, arguments.get(name), 1);
  };
  const Choice choice = read_choice(arguments);
  require_family(arguments.operation, choice, "grid", "use posenc table for a sinusoid");
  return {choice,
          size("--height"),
          size("--width"),
          read_dim(arguments),
          read_dtype(arguments),
          need_targets(arguments),
          read_threads(arguments)};
}

// What the rows of a line may take to be kept for the next one.
constexpr std::int64_t kept_bytes = std::int64_t{4} << 20;

// The rows of the flat table, as many as one likes at a time: row y * width + x is cell (y, x). A row of one axis is
// made once for all the cells of a block that hold it; those of the columns, unless they are many, once for all blocks.
class CellRows {
 public:
  CellRows(const GridRequest& request, const Grid& cells, const Executor& executor)
      : axis_(Sinusoid{cells.ladder, cells.layout, OddWidth::refused}, request.dim / 2, request.choice.recipe),
        order_(cells.axis_order),
        width_(request.width) {
    const std::optional<std::int64_t> bytes = product(width_, row_bytes(request.dtype));
    if (request.height == 1 || !bytes || *bytes > kept_bytes) return;
    columns_.resize(static_cast<std::size_t>(*bytes));
    const std::int64_t shape[] = {width_, axis_.width()};
    axis_.write(Positions::range(0, width_), detail::row_major<void*>(columns_.data(), request.dtype, shape), executor);
  }

  /// Rows first, first + 1, ...: whole lines of cells as far as can be.
  void write(std::int64_t first, const View& out, const Executor& executor) const {
    for (std::int64_t done = 0; done < out.size(0);) {
      const std::int64_t y = (first + done) / width_, x = (first + done) % width_, left = out.size(0) - done;
      const std::int64_t lines = x == 0 ? std::max<std::int64_t>(1, left / width_) : 1;
      const std::int64_t shape[] = {lines, std::min(width_ - x, left), out.size(1)};
      write_cells(y, x, detail::row_major<void*>(entry(out, done).data, out.dtype, shape), executor);
      done += shape[0] * shape[1];
    }
  }

 private:
  std::int64_t row_bytes(DType type) const { return axis_.width() * static_cast<std::int64_t>(size_of(type)); }

  /// out [lines, columns, d], from cell (y, x) on.
  void write_cells(std::int64_t y, std::int64_t x, const View& out, const Executor& executor) const {
    View first = out, second = out;
    first.shape[2] = second.shape[2] = axis_.width();
    second.data = static_cast<char*>(out.data) + static_cast<std::size_t>(axis_.width()) * size_of(out.dtype);
    const bool column_first = order_ == AxisOrder::column_first;
    const View &columns = column_first ? first : second, &lines = column_first ? second : first;
    write_columns(x, columns, executor);                                              // every line has them
    axis_.write(Positions::range(y, out.size(0)), lines.transposed(0, 1), executor);  // and every column these
  }

  /// out [lines, columns, d / 2], from column x on.
  void write_columns(std::int64_t x, const View& out, const Executor& executor) const {
    if (columns_.empty()) return axis_.write(Positions::range(x, out.size(1)), out, executor);
    const auto bytes = static_cast<std::size_t>(row_bytes(out.dtype));
    for (std::int64_t y = 0; y < out.size(0); ++y) {
      const std::byte* from = columns_.data() + static_cast<std::size_t>(x) * bytes;
      for (std::int64_t i = 0; i < out.size(1); ++i, from += bytes)
        std::memcpy(entry(entry(out, y), i).data, from, bytes);
    }
  }

  SinusoidRows axis_;
  AxisOrder order_;
  std::int64_t width_;
  std::vector<std::byte> columns_ = {};  // [width, d / 2], or nothing
};

Said run(const Arguments& arguments) {
  const GridRequest request = read_request(arguments);
  const auto& [choice, height, width, dim, dtype, targets, thread_count] = request;
  const View no_cells{nullptr, dtype, 3, {0, 0, dim}, {dim, dim, 1}};
  require(check_grid(choice.convention, no_cells, choice.recipe));
  const std::int64_t cells = bytes_of(arguments.operation, height, width, DType::f16) / 2;
  check_row_table(arguments.operation, cells, dim, dtype, targets);
  Threads threads(thread_count);
  const CellRows rows(request, std::get<Grid>(choice.convention), threads.executor());
  const RowTable table = {
      .operation = "grid",
      .choice = &choice,
      .dim = dim,
      .dtype = dtype,
      .shape = {height, width, dim},
      .unit = "cells",
      .axis = "cell y, x",
      .title = fmt::format("{}: {} x {} cells", choice.name, height, width),
      .write = [&](std::int64_t first, const View& out) { rows.write(first, out, threads.executor()); },
      .row_name = [&](std::int64_t row) { return fmt::format("{}, {}", row / width, row % width); }};
  return write_row_table(table, targets, arguments);
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
                              threads_option,
                              no_sync_option};

}  // namespace

constinit const Verb grid_verb = {"grid",
                                  "the position table of a two-axis convention",
                                  "",
                                  "",
                                  "posenc grid --preset mae-2d --height 14 --width 14 --dim 768 --out grid.npy",
                                  Operands::none,
                                  options,
                                  run};

}  // namespace posenc::tool
