// SPDX-License-Identifier: Apache-2.0
// Grids of cells, whole or in chunks of rows.
#include <posenc/grid.h>

#include <limits>
#include <numeric>

#include "src/base/blocks.h"
#include "src/encodings/cells.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {

struct GridRows::Ready {
  CellRows cells;
  std::vector<std::string> axes;      // of each index of a cell
  std::vector<std::size_t> index_of;  // of each axis of the convention
  PlaceNumbering places;

  CellGrid of(std::vector<std::int64_t> extents) const { return {std::move(extents), index_of, places}; }
  // 0, 1, .. are no doubles.
  std::optional<Problem> check_extents(const std::vector<std::int64_t>& extents) const {
    return places == whole_places ? std::nullopt : check_places(places, extents);
  }
};
struct GridChunks::Kept {
  std::optional<KeptRows> rows;  // nothing: one was not settled
};

namespace {

std::optional<Problem> check_cells(const std::vector<std::string>& axes, const View& out) {
  const int rank = static_cast<int>(axes.size()) + 1;
  const auto extent = [](const std::string& axis) { return axis == "y" ? "height" : axis == "x" ? "width" : axis; };
  return check_real("grid", out, rank, rank, "[" + listed(axes, extent) + ", d]");
}

std::vector<std::int64_t> extents_of(const View& out) { return {out.shape.begin(), out.shape.begin() + out.rank - 1}; }

// What the rows of one axis may take to be kept for the next chunk.
constexpr std::int64_t kept_bytes = std::int64_t{4} << 20;

}  // namespace

// ---- whole ---------------------------------------------------------------------------------------

std::optional<Problem> GridRows::check(const Convention& convention, std::int64_t dim, const Recipe& recipe,
                                       const Context& context, const PlaceNumbering& places) {
  if (auto problem = check_made("grid", ConventionUse::cells, convention, dim, recipe, context)) return problem;
  return check_places(places);
}

std::optional<Problem> check_grid(const Convention& convention, const View& out, const Recipe& recipe) {
  if (auto problem = check_use("grid", ConventionUse::cells, convention)) return problem;
  if (auto problem = check_cells(cell_axes(convention), out)) return problem;
  const std::int64_t dim = out.size(-1);
  if (auto problem = GridRows::check(convention, dim, recipe)) return problem;
  return check_width("grid", columns(convention, dim), out);
}

std::optional<Problem> GridRows::check_write(const View& out) const {
  if (auto problem = check_cells(ready_->axes, out)) return problem;
  if (auto problem = check_width("grid", width(), out)) return problem;
  return ready_->check_extents(extents_of(out));
}

GridRows::GridRows(const Convention& convention, std::int64_t dim, const Recipe& recipe, const Context& context,
                   const PlaceNumbering& places, Checked)
    : ready_(Ready{cell_rows(convention, {.width = dim, .context = context}, recipe), cell_axes(convention),
                   cell_indices(convention), places}) {}

std::int64_t GridRows::width() const { return ready_->cells.width; }
const std::vector<std::string>& GridRows::axes() const { return ready_->axes; }

std::optional<Problem> GridRows::write_checked(const View& out, const Executor& executor) const {
  if (out.count() == 0) return std::nullopt;  // another side may still be any size
  const DefaultEnvironment environment;
  const CellGrid grid = ready_->of(extents_of(out));
  const CellTarget to = {
      out.dtype, out.data, {out.strides.begin(), out.strides.begin() + out.rank - 1}, out.stride(-1)};
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  const std::optional<KeptRows> kept = keep_rows(ready_->cells, grid, out.dtype, all, executor);
  const std::int64_t cells = out.count() / out.size(-1);
  return undecided_unless(kept && write_cells(ready_->cells, grid, *kept, 0, cells, to, executor), "grid");
}

// ---- chunks --------------------------------------------------------------------------------------

std::optional<Problem> GridChunks::check(const GridRows& rows, const std::vector<std::int64_t>& extents, DType dtype) {
  if (!is_real(dtype)) return Problem{"grid", "dtype must be f32, f64, f16 or bf16", std::string(to_string(dtype))};
  const auto axis = [](const std::string& name) { return name; };
  if (extents.size() != rows.axes().size()) {
    return Problem{"grid", "extents must be those of " + listed(rows.axes(), axis), to_text(extents)};
  }
  std::int64_t cells = 1;
  for (const std::int64_t extent : extents) {
    if (extent >= 0 && !__builtin_mul_overflow(cells, extent, &cells)) continue;
    return Problem{"grid", "extents must be >= 0 and have a product below 2^63", to_text(extents)};
  }
  return rows.ready().check_extents(extents);
}

GridChunks::GridChunks(const GridRows& rows, const std::vector<std::int64_t>& extents, DType dtype,
                       const Executor& executor, Checked)
    : rows_(rows), extents_(extents), dtype_(dtype) {
  const DefaultEnvironment environment;
  const CellGrid grid = rows.ready().of(extents);
  kept_ = detail::Shared(Kept{keep_rows(rows.ready().cells, grid, dtype, kept_bytes, executor)});
}

std::optional<Problem> GridChunks::check_write(std::int64_t first, const View& out) const {
  if (auto problem = check_output("grid", "out", out)) return problem;
  if (out.dtype != dtype_) {
    return Problem{"grid", "out must be " + std::string(to_string(dtype_)), std::string(to_string(out.dtype))};
  }
  if (out.rank != 2 || out.size(1) != rows_.width()) {
    return Problem{"grid", "out must have shape [n, " + std::to_string(rows_.width()) + "]", shape_text(out)};
  }
  const std::int64_t cells = std::accumulate(extents_.begin(), extents_.end(), std::int64_t{1}, std::multiplies());
  if (first >= 0 && first <= cells && out.size(0) <= cells - first) return std::nullopt;
  return Problem{"grid", "rows must be of the " + std::to_string(cells) + " of the grid",
                 std::to_string(first) + " and " + std::to_string(out.size(0)) + " from there"};
}

std::optional<Problem> GridChunks::write_checked(std::int64_t first, const View& out, const Executor& executor) const {
  if (out.count() == 0) return std::nullopt;
  const DefaultEnvironment environment;
  const CellGrid grid = rows_.ready().of(extents_);
  const CellTarget to = {dtype_, out.data, {out.stride(0)}, out.stride(1)};
  const std::optional<KeptRows>& kept = kept_->rows;
  return undecided_unless(kept && write_cells(rows_.ready().cells, grid, *kept, first, out.size(0), to, executor),
                          "grid");
}

}  // namespace posenc
