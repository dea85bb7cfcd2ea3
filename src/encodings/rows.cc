// SPDX-License-Identifier: Apache-2.0
// Rows from the engine or from a recipe, stored or added: of one axis, at lists of coordinates, or of the cells of a
// grid.
#include "src/encodings/rows.h"

#include <algorithm>
#include <limits>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/base/shapes.h"
#include "src/encodings/coordinates.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {

// ---- checks -------------------------------------------------------------------------------------

namespace {

// The name of the operation in errors: rows of one axis are sinusoids.
std::string_view operation_of(const Rows::Ready& ready) { return ready.line ? "sinusoid" : "coordinates"; }

std::optional<Problem> check_one_axis(std::string_view operation, const Rows::Ready& ready) {
  if (ready.line) return std::nullopt;
  return Problem{std::string(operation), "rows must have one axis", std::to_string(ready.axes.size())};
}

}  // namespace

std::optional<Problem> Rows::check(const Convention& convention, std::int64_t dim, const Options& options) {
  return check_made("rows", ConventionUse::coordinates, convention, dim, options);
}

std::optional<Problem> Rows::check_frequencies() const { return check_one_axis("frequencies", *ready_); }

std::optional<Problem> Rows::check_write(std::span<const Positions> coordinates, const View& out,
                                         Reading reading) const {
  const std::string_view operation = operation_of(*ready_);
  if (auto problem = check_reading(operation, reading)) return problem;
  if (auto problem = check_real(operation, out, 2, 3, "[L, d] or [B, L, d]")) return problem;
  if (auto problem = check_width(operation, width(), out)) return problem;
  if (auto problem = check_coordinates(operation, ready_->axes, coordinates)) return problem;
  if (has_rows(widest(coordinates), out)) return check_lists(operation, coordinates, out);
  return other_rows(operation, widest(coordinates), out, "[B, L, d]");
}

std::optional<Problem> Rows::check_add(const Positions& positions, const ConstView& in, const View& out) const {
  if (auto problem = check_one_axis("sinusoid", *ready_)) return problem;
  if (auto problem = check_write(positions, out)) return problem;
  return check_addend(in, out);
}

std::optional<Problem> check_cells(const std::vector<std::string>& axes, const View& out) {
  const int rank = static_cast<int>(axes.size()) + 1;
  const auto extent = [](const std::string& axis) { return axis == "y" ? "height" : axis == "x" ? "width" : axis; };
  return check_real("grid", out, rank, rank, "[" + listed(axes, extent) + ", d]");
}

namespace {

std::vector<std::int64_t> extents_of(const View& out) { return {out.shape.begin(), out.shape.begin() + out.rank - 1}; }

}  // namespace

std::optional<Problem> Rows::check_write_cells(const View& out, const PlaceNumbering& places) const {
  if (ready_->no_cells) return ready_->no_cells;
  if (auto problem = check_places(places)) return problem;
  if (auto problem = check_cells(ready_->cell_axes, out)) return problem;
  if (auto problem = check_width("grid", width(), out)) return problem;
  return check_extents(places, extents_of(out));
}

// ---- rows ---------------------------------------------------------------------------------------

Rows::Rows(const Convention& convention, std::int64_t dim, const Options& options, Checked) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = dim, .context = options.context};
  Ready ready;
  ready.axes = axes_of(convention);
  ready.no_cells = check_use("grid", ConventionUse::cells, convention);
  if (ready.axes.size() == 1) {
    ready.line = axis_rows(lower_rows(convention, given), convention, given, options.recipe);
  } else {
    ready.cells = cell_rows(convention, given, options.recipe);
  }
  if (!ready.no_cells) {
    ready.cell_axes = cell_axes(convention);
    ready.index_of = cell_indices(convention);
  }
  ready_ = detail::Shared(std::move(ready));
}

std::int64_t Rows::width() const { return ready_->width(); }
const std::vector<std::string>& Rows::axes() const { return ready_->axes; }

std::vector<double> Rows::frequencies_checked(const Executor& executor) const {
  const DefaultEnvironment environment;
  const AxisRows& line = line_of(*this);
  if (line.recipe.steps) return posenc::frequencies(line.step_ladder, *line.recipe.steps);
  const plan::Ladder& ladder = line.ladder();
  std::vector<double> w(ladder.size());
  for_blocks(executor, std::ssize(w), frequencies_of_a_block, [&](std::int64_t begin, std::int64_t end) {
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      w[k] = nearest_frequency(ladder[k]);
    }
  });
  return w;
}

namespace {

// sink(b, t, row) for every row of the tensor, computed once where one list of positions serves every sequence. False
// where an entry was not settled.
template <class T, class Sink>
bool for_rows(const AxisRows& line, const Positions& positions, const View& out, const Executor& executor,
              const Sink& sink) {
  const std::int64_t length = out.size(-2), sequences = out.rank == 3 ? out.size(0) : 1;
  const bool shared = rank(positions) == 1;
  constexpr std::int64_t rows_per_block = 64;
  const std::int64_t lists = shared ? 1 : sequences, blocks = (length + rows_per_block - 1) / rows_per_block;
  Decided decided;
  for_blocks(executor, blocks * lists, 1, [&](std::int64_t i, std::int64_t) {
    const std::int64_t b = i / blocks, start = i % blocks * rows_per_block;
    const RowRange range = {b, start, std::min(rows_per_block, length - start)};
    const Scratch<T> rows(static_cast<std::size_t>(range.count * line.width));
    decided.also(line.write_rows(positions, range, rows.data(), line.width));
    for (std::int64_t to = b; to < (shared ? sequences : b + 1); ++to) {
      for (std::int64_t t = 0; t < range.count; ++t) sink(to, start + t, rows.data() + t * line.width);
    }
  });
  return decided.all();
}

}  // namespace

namespace {

// Rows of one axis: a table in strips where the memory of `out` allows it, else row by row.
bool write_line(const AxisRows& line, const Positions& positions, const View& out, const Executor& executor,
                Reading reading) {
  bool decided = false;
  with_real(out.dtype, [&]<class T>(T) {
    if ((out.rank == 2 || out.size(0) == 1) && (out.stride(-1) == 1 || out.size(-1) == 1)) {
      const Stores stores = stores_for(out.count() * static_cast<std::int64_t>(sizeof(T)), reading);
      decided = line.write_table(positions, {0, 0, out.size(-2)}, row_at<T>(out, 0, 0).data, out.stride(-2), stores,
                                 executor);
      return;
    }
    decided = for_rows<T>(line, positions, out, executor, [&](std::int64_t b, std::int64_t t, const T* row) {
      const StridedRow<T> to = row_at<T>(out, b, t);
      for (std::int64_t c = 0; c < line.width; ++c) to[c] = row[c];
    });
  });
  return decided;
}

}  // namespace

std::optional<Problem> Rows::write_checked(std::span<const Positions> coordinates, const View& out,
                                           const Executor& executor, Reading reading) const {
  if (out.count() == 0) return std::nullopt;  // without sequences there may still be any number of positions
  const bool decided = ready_->line ? write_line(*ready_->line, coordinates.front(), out, executor, reading)
                                    : write_all_places(*ready_->cells, coordinates, out, executor);
  return undecided_unless(decided, operation_of(*ready_));
}

std::optional<Problem> Rows::add_checked(const Positions& positions, const ConstView& in, const View& out,
                                         const Executor& executor) const {
  if (out.count() == 0) return std::nullopt;
  const AxisRows& line = line_of(*this);
  bool decided = false;
  with_real(out.dtype, [&]<class T>(T) {
    using C = Computing<T>;
    decided = for_rows<T>(line, positions, out, executor, [&](std::int64_t b, std::int64_t t, const T* row) {
      const StridedRow<const T> from = row_at<const T>(in, b, t);
      const StridedRow<T> to = row_at<T>(out, b, t);
      for (std::int64_t c = 0; c < line.width; ++c) to[c] = T(static_cast<C>(from[c]) + static_cast<C>(row[c]));
    });
  });
  return undecided_unless(decided, "sinusoid");
}

std::optional<Problem> Rows::write_cells_checked(const View& out, const PlaceNumbering& places,
                                                 const Executor& executor) const {
  if (out.count() == 0) return std::nullopt;  // another side may still be any size
  const DefaultEnvironment environment;
  const CellRows& cells = *ready_->cells;
  const CellGrid grid = ready_->grid(extents_of(out), places);
  const CellTarget to = {
      out.dtype, out.data, {out.strides.begin(), out.strides.begin() + out.rank - 1}, out.stride(-1)};
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  const std::optional<KeptRows> kept = keep_rows(cells, grid, out.dtype, all, executor);
  const std::int64_t count = out.count() / out.size(-1);
  return undecided_unless(kept && posenc::write_cells(cells, grid, *kept, 0, count, to, executor), "grid");
}

}  // namespace posenc
