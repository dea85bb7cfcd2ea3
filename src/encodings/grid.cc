// SPDX-License-Identifier: Apache-2.0
// Grids: two one-axis tables of half the width, side by side in every cell.
#include <posenc/grid.h>

#include <algorithm>

#include "src/encodings/rows.h"
#include "src/encodings/text.h"
#include "src/engine/blocks.h"
#include "src/engine/elements.h"

namespace posenc {
namespace {

Problem problem(std::string rule, std::string value) { return {"grid", std::move(rule), std::move(value)}; }

std::optional<Problem> check_cells(const View& out) {
  if (auto problem = check_output("grid", "out", out)) return problem;
  if (!is_real(out.dtype)) return problem("out must be f32, f64, f16 or bf16", std::string(to_string(out.dtype)));
  if (out.rank != 3) return problem("out must have shape [height, width, d]", shape_text(out));
  return std::nullopt;
}

// The one-axis rows of coordinates 0 .. count - 1.
template <class T>
std::vector<T> axis_table(const SinusoidRows::Ready& ready, std::int64_t count) {
  std::vector<T> table(static_cast<std::size_t>(count * ready.width));
  ready.write_rows(Positions::range(0, count), {0, 0, count}, table.data(), ready.width);
  return table;
}

template <class T>
void write_cells(const SinusoidRows::Ready& ready, AxisOrder order, const View& out, const Executor& executor) {
  const std::int64_t height = out.size(0), width = out.size(1), half_width = ready.width;
  const std::vector<T> table = axis_table<T>(ready, std::max(height, width));
  engine::for_blocks(executor, height, 1, [&](std::int64_t y, std::int64_t) {
    for (std::int64_t x = 0; x < width; ++x) {
      const engine::Row<T> cell = engine::row<T>(out, {y, x});
      const T* first = table.data() + (order == AxisOrder::column_first ? x : y) * half_width;
      const T* second = table.data() + (order == AxisOrder::column_first ? y : x) * half_width;
      if (cell.step == 1) {
        std::copy(first, first + half_width, cell.data);
        std::copy(second, second + half_width, cell.data + half_width);
        continue;
      }
      for (std::int64_t c = 0; c < half_width; ++c) cell[c] = first[c];
      for (std::int64_t c = 0; c < half_width; ++c) cell[half_width + c] = second[c];
    }
  });
}

}  // namespace

std::optional<Problem> GridRows::check(const Convention& convention, std::int64_t dim, const Recipe& recipe) {
  if (!std::holds_alternative<Grid>(convention)) {
    return problem("the convention must be of family grid", std::string(family(convention)));
  }
  if (auto problem = check_width(convention, dim)) return problem;
  return check_recipe(recipe);
}

std::optional<Problem> check_grid(const Convention& convention, const View& out, const Recipe& recipe) {
  if (!std::holds_alternative<Grid>(convention)) return GridRows::check(convention, 4, recipe);
  if (auto problem = check_cells(out)) return problem;
  return GridRows::check(convention, out.size(-1), recipe);
}

std::optional<Problem> GridRows::check_write(const View& out) const {
  if (auto problem = check_cells(out)) return problem;
  if (out.size(-1) == dim_) return std::nullopt;
  return problem("out must have " + std::to_string(dim_) + " columns", shape_text(out));
}

GridRows::GridRows(const Convention& convention, std::int64_t dim, const Recipe& recipe, Checked)
    : dim_(dim),
      order_(std::get<Grid>(convention).axis_order),
      axis_(axis_row(std::get<Grid>(convention)), dim / 2, recipe) {}

void GridRows::write_checked(const View& out, const Executor& executor) const {
  if (out.count() == 0) return;  // the other side may still be any size
  const engine::DefaultEnvironment environment;
  engine::with_real(out.dtype, [&]<class T>(T) { write_cells<T>(axis_.ready(), order_, out, executor); });
}

}  // namespace posenc
