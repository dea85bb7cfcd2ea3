// SPDX-License-Identifier: Apache-2.0
// Grids of height x width cells, whole or in chunks of rows.
#include <posenc/grid.h>

#include <limits>

#include "src/base/blocks.h"
#include "src/encodings/cells.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {

struct GridRows::Ready {
  CellRows cells;
  std::vector<std::size_t> index_of;  // of each axis: 0 for lines, 1 for columns
};
struct GridChunks::Kept {
  std::optional<KeptRows> rows;  // nothing: one was not settled
};

namespace {

std::optional<Problem> check_cells(const View& out) { return check_real("grid", out, 3, 3, "[height, width, d]"); }

// What the rows of one axis may take to be kept for the next chunk.
constexpr std::int64_t kept_bytes = std::int64_t{4} << 20;

CellRows cell_rows(const Convention& convention, std::int64_t dim, const Recipe& recipe) {
  const DefaultEnvironment environment;
  const Context context = {.width = dim};
  return {lower_rows(convention, context), recipe,
          recipe.exact() ? std::vector<StepLadder>{} : lower_steps(convention, context, *recipe.steps)};
}

}  // namespace

// ---- whole ---------------------------------------------------------------------------------------

std::optional<Problem> GridRows::check(const Convention& convention, std::int64_t dim, const Recipe& recipe) {
  return check_made("grid", Use::cells, convention, dim, recipe);
}

std::optional<Problem> check_grid(const Convention& convention, const View& out, const Recipe& recipe) {
  if (auto problem = check_use("grid", Use::cells, convention)) return problem;
  if (auto problem = check_cells(out)) return problem;
  const std::int64_t dim = out.size(-1);
  if (auto problem = GridRows::check(convention, dim, recipe)) return problem;
  return check_width("grid", columns(convention, dim), out);
}

std::optional<Problem> GridRows::check_write(const View& out) const {
  if (auto problem = check_cells(out)) return problem;
  return check_width("grid", width(), out);
}

GridRows::GridRows(const Convention& convention, std::int64_t dim, const Recipe& recipe, Checked)
    : ready_(std::make_shared<const Ready>(Ready{cell_rows(convention, dim, recipe), cell_indices(convention)})) {}

std::int64_t GridRows::width() const { return ready_->cells.width; }

std::optional<Problem> GridRows::write_checked(const View& out, const Executor& executor) const {
  if (out.count() == 0) return std::nullopt;  // the other side may still be any size
  const DefaultEnvironment environment;
  const CellGrid grid = {{out.size(0), out.size(1)}, ready_->index_of};
  const CellTarget to = {out.dtype, out.data, {out.stride(0), out.stride(1)}, out.stride(2)};
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  const std::optional<KeptRows> kept = keep_rows(ready_->cells, grid, out.dtype, all, executor);
  return undecided_unless(kept && write_cells(ready_->cells, grid, *kept, 0, out.size(0) * out.size(1), to, executor),
                          "grid");
}

// ---- chunks --------------------------------------------------------------------------------------

std::optional<Problem> GridChunks::check(std::int64_t height, std::int64_t width, DType dtype) {
  if (!is_real(dtype)) return Problem{"grid", "dtype must be f32, f64, f16 or bf16", std::string(to_string(dtype))};
  std::int64_t cells = 0;
  if (height >= 0 && width >= 0 && !__builtin_mul_overflow(height, width, &cells)) return std::nullopt;
  return Problem{"grid", "height and width must be >= 0 and have a product below 2^63",
                 std::to_string(height) + ", " + std::to_string(width)};
}

GridChunks::GridChunks(const GridRows& rows, std::int64_t height, std::int64_t width, DType dtype,
                       const Executor& executor, Checked)
    : rows_(rows), height_(height), width_(width), dtype_(dtype) {
  const DefaultEnvironment environment;
  const CellGrid grid = {{height, width}, rows.ready().index_of};
  kept_ = std::make_shared<const Kept>(Kept{keep_rows(rows.ready().cells, grid, dtype, kept_bytes, executor)});
}

std::optional<Problem> GridChunks::check_write(std::int64_t first, const View& out) const {
  if (auto problem = check_output("grid", "out", out)) return problem;
  if (out.dtype != dtype_) {
    return Problem{"grid", "out must be " + std::string(to_string(dtype_)), std::string(to_string(out.dtype))};
  }
  if (out.rank != 2 || out.size(1) != rows_.width()) {
    return Problem{"grid", "out must have shape [n, " + std::to_string(rows_.width()) + "]", shape_text(out)};
  }
  const std::int64_t cells = height_ * width_;
  if (first >= 0 && first <= cells && out.size(0) <= cells - first) return std::nullopt;
  return Problem{"grid", "rows must be of the " + std::to_string(cells) + " of the grid",
                 std::to_string(first) + " and " + std::to_string(out.size(0)) + " from there"};
}

std::optional<Problem> GridChunks::write_checked(std::int64_t first, const View& out, const Executor& executor) const {
  if (out.count() == 0) return std::nullopt;
  const DefaultEnvironment environment;
  const CellGrid grid = {{height_, width_}, rows_.ready().index_of};
  const CellTarget to = {dtype_, out.data, {out.stride(0)}, out.stride(1)};
  const std::optional<KeptRows>& kept = kept_->rows;
  return undecided_unless(kept && write_cells(rows_.ready().cells, grid, *kept, first, out.size(0), to, executor),
                          "grid");
}

}  // namespace posenc
