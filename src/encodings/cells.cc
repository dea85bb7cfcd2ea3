// SPDX-License-Identifier: Apache-2.0
// Axis by axis: ready rows, tables of them, and copies into cells.
#include "src/encodings/cells.h"

#include <algorithm>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

using plan::Column;
using plan::Kind;

// Rows of one axis each, and constants: no sum over axes, coordinate or phase.
bool by_axis(const plan::RowPlan& plan) {
  return plan.phases.empty() && std::all_of(plan.columns.begin(), plan.columns.end(), [&](const Column& c) {
           return c.kind == Kind::constant || (c.kind == Kind::wave && c.axis < plan.axes.size());
         });
}

// Does the row of one axis make that column?
bool is_of(const Column& c, std::size_t axis) {
  return c.axis == axis && (c.kind == Kind::wave || c.kind == Kind::coordinate);
}

// The waves of one axis and its coordinates, in order, as a plan of their own.
plan::RowPlan axis_plan(const plan::RowPlan& plan, std::size_t axis) {
  plan::RowPlan own;
  own.axes = {plan.axes[axis]};
  own.ladders = {plan.ladders[axis]};
  own.scale = plan.scale;
  for (const Column& c : plan.columns) {
    if (is_of(c, axis)) own.columns.push_back({c.kind, c.quarter, 0, c.frequency});
  }
  return own;
}

// The frequencies that it reads, where pairs of one ladder are dealt to several axes.
std::vector<std::uint32_t> frequencies_read(const plan::RowPlan& plan) {
  std::vector<std::uint32_t> read;
  for (const Column& c : plan.columns) {
    if (c.kind == Kind::wave) read.push_back(c.frequency);
  }
  std::ranges::sort(read);
  read.erase(std::ranges::unique(read).begin(), read.end());
  return read;
}

// The same rows by a ladder of those frequencies alone.
plan::RowPlan only(const std::vector<std::uint32_t>& read, plan::RowPlan plan) {
  for (Column& c : plan.columns) {
    if (c.kind != Kind::wave) continue;
    c.frequency = static_cast<std::uint32_t>(std::ranges::lower_bound(read, c.frequency) - read.begin());
  }
  plan.ladders[0] = plan::only(read, std::move(plan.ladders[0]));
  return plan;
}
StepLadder only(const std::vector<std::uint32_t>& read, StepLadder ladder) {
  const auto keep = [&](std::vector<double>& of_all) {
    std::vector<double> kept;
    for (const std::uint32_t k : read) kept.push_back(of_all[k]);
    of_all = std::move(kept);
  };
  keep(ladder.entries);
  if (!ladder.phases.empty()) keep(ladder.phases);
  return ladder;
}

// Whole ladders of which axes read parts: M-RoPE deals one to all of its axes.
class WholeRungs {
 public:
  // Nothing where kernels do not take all of them.
  const engine::Rungs* of(plan::Ladder ladder, const numerics::Real& scale) {
    ladder.picked.clear();
    const auto has = [&](const Made& each) { return plan::same_form(each.ladder, ladder) && each.scale == scale; };
    auto found = std::ranges::find_if(made_, has);
    if (found == made_.end()) {
      std::optional<engine::Rungs> rungs = engine::rungs_of(ladder, scale);
      found = made_.insert(found, {std::move(ladder), scale, std::move(rungs)});
    }
    return found->rungs ? &*found->rungs : nullptr;
  }

 private:
  struct Made {
    plan::Ladder ladder;
    numerics::Real scale;
    std::optional<engine::Rungs> rungs;
  };
  std::vector<Made> made_;
};

// The rows of one axis. A chained ladder needs every entry for those after it.
struct AxisPart {
  plan::RowPlan plan;
  StepLadder ladder;  // of a recipe

  AxisPart(plan::RowPlan all, const StepLadder& steps) : plan(std::move(all)), ladder(steps) {
    const std::vector<std::uint32_t> read = frequencies_read(plan);
    if (read.size() == plan.ladders[0].size() || ladder.chained) return;
    plan = only(read, std::move(plan));
    if (!ladder.entries.empty()) ladder = only(read, std::move(ladder));
  }
  AxisRows ready(const Recipe& recipe, WholeRungs& whole) const {
    if (recipe.steps) return {plan, recipe, ladder};
    const std::vector<std::uint32_t>& picked = plan.ladders[0].picked;
    const engine::Rungs* const rungs = picked.empty() ? nullptr : whole.of(plan.ladders[0], plan.scale);
    return rungs == nullptr ? AxisRows(plan) : AxisRows(plan, engine::only(picked, *rungs));
  }
  bool operator==(const AxisPart& other) const { return plan == other.plan && ladder.entries == other.ladder.entries; }
};

// Where they stand in a cell.
std::vector<CellRows::Run> runs_of(const plan::RowPlan& plan, std::size_t axis) {
  std::vector<CellRows::Run> runs;
  std::int64_t from = 0;
  for (std::int64_t c = 0; c < std::ssize(plan.columns); ++c) {
    const Column& column = plan.columns[static_cast<std::size_t>(c)];
    if (!is_of(column, axis)) continue;
    if (!runs.empty() && runs.back().to + runs.back().count == c) {
      ++runs.back().count;
    } else {
      runs.push_back({from, c, 1});
    }
    ++from;
  }
  return runs;
}

// ---- chunks --------------------------------------------------------------------------------------

// PlaceNumbering [first, first + count).
struct Extent {
  std::int64_t first, count;
};

// Those of an index in cells [first, first + count), count > 0: all of them where they wrap around.
Extent extent_of(const CellGrid& grid, std::size_t index, std::int64_t first, std::int64_t count) {
  std::int64_t inner = 1;
  for (std::size_t j = index + 1; j < grid.extents.size(); ++j) inner *= grid.extents[j];
  const std::int64_t n = grid.extents[index], low = first / inner, high = (first + count - 1) / inner;
  if (high - low >= n || low % n > high % n) return {0, n};
  return {low % n, high - low + 1};
}
// Their coordinates.
AxisPositions positions_of(const CellGrid& grid, std::size_t index, std::int64_t first, std::int64_t count) {
  const Extent extent = extent_of(grid, index, first, count);
  return {grid, index, extent.first, extent.count};
}

// Rows of an axis, from one place on.
template <class T>
struct AxisTable {
  const T* data;
  std::int64_t first, stride;

  const T* row(std::int64_t place) const { return data + (place - first) * stride; }
};

template <class T>
bool make_rows(const AxisRows& rows, const AxisPositions& positions, T* out, const Executor& executor) {
  const Positions all = positions.all();
  return rows.write_table(all, {0, 0, all.count_}, out, rows.width, Stores::cached, executor);
}

// The indices of a cell, counted on one by one.
class Indices {
 public:
  Indices(const CellGrid& grid, std::int64_t cell) : grid_(grid) {
    for (std::size_t j = grid.extents.size(); j-- > 0; cell /= grid.extents[j]) at_[j] = cell % grid.extents[j];
  }
  std::int64_t operator[](std::size_t j) const { return at_[j]; }
  void next() {
    for (std::size_t j = grid_.extents.size(); j-- > 0;) {
      if (++at_[j] < grid_.extents[j]) return;
      at_[j] = 0;
    }
  }

 private:
  const CellGrid& grid_;
  std::array<std::int64_t, most_indices> at_;
};

template <class T>
StridedRow<T> cell_at(const CellTarget& to, const Indices& at, std::int64_t number) {
  std::int64_t offset = 0;
  if (to.strides.size() == 1) {
    offset = number * to.strides[0];
  } else {
    for (std::size_t j = 0; j < to.strides.size(); ++j) offset += at[j] * to.strides[j];
  }
  return {static_cast<T*>(to.data) + offset, to.step};
}

// write(at, cell) for cells [first, first + count), a line of the last index a part of work.
template <class T, class Write>
void for_cells(const CellGrid& grid, std::int64_t first, std::int64_t count, const CellTarget& to,
               const Executor& executor, const Write& write) {
  for_blocks(executor, count, grid.extents.back(), [&](std::int64_t begin, std::int64_t end) {
    Indices at(grid, first + begin);
    for (std::int64_t i = begin; i < end; ++i, at.next()) write(at, cell_at<T>(to, at, i));
  });
}

template <class T>
bool write_by_entries(const CellRows& cells, const CellGrid& grid, std::int64_t first, std::int64_t count,
                      const CellTarget& to, const Executor& executor) {
  std::vector<AxisPositions> positions;
  for (const std::size_t index : grid.index_of) positions.push_back(positions_of(grid, index, first, count));
  Decided decided;
  for_cells<T>(grid, first, count, to, executor, [&](const Indices& at, const StridedRow<T>& cell) {
    std::vector<std::optional<numerics::Dyadic>> place;
    for (std::size_t a = 0; a < positions.size(); ++a) place.push_back(positions[a].at(at[grid.index_of[a]]));
    decided.also(cells.write_cell(Place(place), cell.data, cell.step));
  });
  return decided.all();
}

template <class T>
bool write_by_axes(const CellRows& cells, const CellGrid& grid, const KeptRows& kept, std::int64_t first,
                   std::int64_t count, const CellTarget& to, const Executor& executor) {
  std::vector<Scratch<T>> made;
  std::vector<AxisTable<T>> tables;
  bool decided = true;
  for (std::size_t a = 0; a < cells.axes.size(); ++a) {
    const AxisRows& rows = cells.rows[cells.axes[a].rows];
    if (kept.of[a]) {
      tables.push_back({reinterpret_cast<const T*>(kept.made[*kept.of[a]].data.data()), 0, rows.width});
      continue;
    }
    const AxisPositions positions = positions_of(grid, grid.index_of[a], first, count);
    made.emplace_back(static_cast<std::size_t>(positions.all().count_ * rows.width));
    decided &= make_rows(rows, positions, made.back().data(), executor);
    tables.push_back({made.back().data(), positions.first(), rows.width});
  }
  for_cells<T>(grid, first, count, to, executor, [&](const Indices& at, const StridedRow<T>& cell) {
    for (std::size_t a = 0; a < tables.size(); ++a) {
      copy_runs(cells.axes[a], tables[a].row(at[grid.index_of[a]]), cell);
    }
    for (const auto& [c, quarters] : cells.constants) cell[c] = constant_of<T>(cells.rows.front(), quarters);
  });
  return decided;
}

}  // namespace

CellRows::CellRows(const plan::RowPlan& plan, const Recipe& recipe, const std::vector<StepLadder>& ladders)
    : width(std::ssize(plan.columns)) {
  if (recipe.real_by == RealBy::phase) {
    by_phases = std::make_unique<const PhaseRows>(plan);
    return;
  }
  if (recipe.exact() && !by_axis(plan)) {
    by_entries = std::make_unique<const Entries>(plan);
    return;
  }
  if (recipe.steps && sums_axes(plan)) {
    by_sums = std::make_unique<const RecipeSums>(plan, *recipe.steps, ladders);
    return;
  }
  std::vector<AxisPart> made;  // of each of `rows`
  WholeRungs whole;
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    AxisPart own(axis_plan(plan, a), recipe.exact() ? StepLadder() : ladders[a]);
    const auto found = std::ranges::find(made, own);
    axes.push_back({static_cast<std::size_t>(found - made.begin()), runs_of(plan, a)});
    if (found != made.end()) continue;
    rows.push_back(own.ready(recipe, whole));
    made.push_back(std::move(own));
  }
  for (std::int64_t c = 0; c < width; ++c) {
    const Column& column = plan.columns[static_cast<std::size_t>(c)];
    if (column.kind == Kind::constant) constants.emplace_back(c, column.quarter);
  }
}

CellRows cell_rows(const Convention& waves, const LoweredFor& given, const Recipe& recipe) {
  const DefaultEnvironment environment;
  return {lower_rows(waves, given), recipe,
          recipe.steps ? lower_steps(waves, given, *recipe.steps) : std::vector<StepLadder>{}};
}

namespace {

// Do two indices have the same coordinates, but for how many there are of 0, 1, ..?
bool numbered_alike(const CellGrid& grid, std::size_t i, std::size_t j) {
  return !grid.numbered() || grid.extents[i] == grid.extents[j];
}

}  // namespace

std::optional<KeptRows> keep_rows(const CellRows& cells, const CellGrid& grid, DType type, std::int64_t most,
                                  const Executor& executor) {
  KeptRows kept;
  for (std::size_t a = 0; a < cells.axes.size(); ++a) {
    const std::size_t rows = cells.axes[a].rows, index = grid.index_of[a];
    const std::int64_t row = cells.rows[rows].width * static_cast<std::int64_t>(size_of(type));
    const std::int64_t extent = grid.extents[index];
    kept.of.emplace_back();
    if (extent == 0 || extent > most / std::max<std::int64_t>(row, 1)) continue;
    const auto found = std::ranges::find_if(kept.made, [&](const KeptRows::Rows& made) {
      return made.rows == rows && numbered_alike(grid, made.index, index);
    });
    kept.of.back() = static_cast<std::size_t>(found - kept.made.begin());
    if (found == kept.made.end()) {
      kept.made.push_back({rows, index, extent, {}});
    } else if (extent > found->count) {
      found->index = index, found->count = extent;
    }
  }
  bool decided = true;
  for (auto& [rows, index, count, data] : kept.made) {
    data = Scratch<std::byte>(static_cast<std::size_t>(count * cells.rows[rows].width) * size_of(type));
    with_real(type, [&]<class T>(T) {
      decided &= make_rows(cells.rows[rows], {grid, index, 0, count}, reinterpret_cast<T*>(data.data()), executor);
    });
  }
  return decided ? std::optional(std::move(kept)) : std::nullopt;
}

bool write_cells(const CellRows& cells, const CellGrid& grid, const KeptRows& kept, std::int64_t first,
                 std::int64_t count, const CellTarget& to, const Executor& executor) {
  if (count == 0) return true;
  bool decided = false;
  with_real(to.type, [&]<class T>(T) {
    decided = cells.one_by_one() ? write_by_entries<T>(cells, grid, first, count, to, executor)
                                 : write_by_axes<T>(cells, grid, kept, first, count, to, executor);
  });
  return decided;
}

}  // namespace posenc
