// SPDX-License-Identifier: Apache-2.0
// Grids of cells, whole or in chunks of rows.
#include <posenc/grid.h>

#include <numeric>

#include "src/base/blocks.h"
#include "src/encodings/rows.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {

struct GridChunks::Kept {
  std::optional<KeptRows> rows;  // nothing: one was not settled
};

// What the rows of one axis may take to be kept for the next chunk.
static constexpr std::int64_t kept_bytes = std::int64_t{4} << 20;

std::optional<Problem> check_grid(const Convention& convention, const View& out, const Options& options) {
  if (auto problem = check_use("grid", ConventionUse::cells, convention)) return problem;
  if (auto problem = check_cells(cell_axes(convention), out)) return problem;
  const std::int64_t dim = out.size(-1);
  if (auto problem = check_made("grid", ConventionUse::cells, convention, dim, options)) return problem;
  return check_width("grid", columns(convention, dim), out);
}

// ---- chunks --------------------------------------------------------------------------------------

std::optional<Problem> GridChunks::check(const Rows& rows, const std::vector<std::int64_t>& extents, DType dtype,
                                         const PlaceNumbering& places) {
  const Rows::Ready& ready = rows.ready();
  if (ready.no_cells) return ready.no_cells;
  if (auto problem = check_places(places)) return problem;
  if (!is_real(dtype)) return Problem{"grid", "dtype must be f32, f64, f16 or bf16", std::string(to_string(dtype))};
  const auto axis = [](const std::string& name) { return name; };
  if (extents.size() != ready.cell_axes.size()) {
    return Problem{"grid", "extents must be those of " + listed(ready.cell_axes, axis), to_text(extents)};
  }
  std::int64_t cells = 1;
  for (const std::int64_t extent : extents) {
    if (extent >= 0 && !__builtin_mul_overflow(cells, extent, &cells)) continue;
    return Problem{"grid", "extents must be >= 0 and have a product below 2^63", to_text(extents)};
  }
  return check_extents(places, extents);
}

GridChunks::GridChunks(const Rows& rows, const std::vector<std::int64_t>& extents, DType dtype,
                       const PlaceNumbering& places, const Executor& executor, Checked)
    : rows_(rows), places_(places), extents_(extents), dtype_(dtype) {
  const DefaultEnvironment environment;
  const CellGrid grid = rows.ready().grid(extents, places);
  kept_ = detail::Shared(Kept{keep_rows(*rows.ready().cells, grid, dtype, kept_bytes, executor)});
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
  const CellGrid grid = rows_.ready().grid(extents_, places_);
  const CellTarget to = {dtype_, out.data, {out.stride(0)}, out.stride(1)};
  const std::optional<KeptRows>& kept = kept_->rows;
  return undecided_unless(kept && write_cells(*rows_.ready().cells, grid, *kept, first, out.size(0), to, executor),
                          "grid");
}

}  // namespace posenc
