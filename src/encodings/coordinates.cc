// SPDX-License-Identifier: Apache-2.0
// Rows at lists of coordinates: axis by axis where each column has one, else entry by entry.
#include "src/encodings/coordinates.h"

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/shapes.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

std::string names_of(const std::vector<std::string>& axes) {
  std::string text;
  for (const std::string& axis : axes) text += (text.empty() ? "" : ", ") + axis;
  return text;
}

// The row of each axis there, then what it gives.
template <class T>
bool write_by_axes(const CellRows& cells, std::span<const Positions> coordinates, const RowRange& range, T* out,
                   std::int64_t stride) {
  bool decided = true;
  for (std::size_t a = 0; a < cells.axes.size(); ++a) {
    const AxisRows& rows = cells.rows[cells.axes[a].rows];
    if (cells.axes[a].runs.empty()) continue;
    const Positions& list = coordinates[a];
    const RowRange own = {rank(list) == 2 ? range.b : 0, range.first, range.count};
    LocalScratch<T> scratch;
    T* made = scratch.take(static_cast<std::size_t>(range.count * rows.width));
    decided &= rows.write_rows(list, own, made, rows.width);
    for (std::int64_t i = 0; i < range.count; ++i) {
      copy_runs(cells.axes[a], made + i * rows.width, StridedRow<T>{out + i * stride, 1});
    }
  }
  for (const auto& [c, quarters] : cells.constants) {
    const T constant = constant_of<T>(cells.rows.front(), quarters);
    for (std::int64_t i = 0; i < range.count; ++i) out[i * stride + c] = constant;
  }
  return decided;
}

// Does the row of the only axis stand in a cell as it is?
bool is_one_row(const CellRows& cells) {
  return cells.axes.size() == 1 && cells.axes[0].runs.size() == 1 && cells.rows[0].width == cells.width;
}

}  // namespace

std::optional<Problem> check_list_count(std::string_view operation, const std::vector<std::string>& axes,
                                        std::span<const Positions> coordinates) {
  if (coordinates.size() == axes.size()) return std::nullopt;
  return Problem{std::string(operation), "positions must be a list for each axis: " + names_of(axes),
                 std::to_string(coordinates.size()) + (coordinates.size() == 1 ? " list" : " lists")};
}

std::optional<Problem> check_coordinates(std::string_view operation, const std::vector<std::string>& axes,
                                         std::span<const Positions> coordinates) {
  if (auto problem = check_list_count(operation, axes, coordinates)) return problem;
  for (const Positions& list : coordinates) {
    if (auto problem = check_positions(operation, list)) return problem;
  }
  const Positions& all = widest(coordinates);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const Positions& list = coordinates[a];
    if (list.count_ != all.count_) {
      return Problem{std::string(operation), "positions must be " + std::to_string(all.count_) + " on every axis",
                     std::to_string(list.count_) + " of " + axes[a]};
    }
    if (rank(list) == 2 && list.list_.size(0) != all.list_.size(0)) {
      return Problem{std::string(operation),
                     "positions must be of " + std::to_string(all.list_.size(0)) + " sequences on every axis",
                     std::to_string(list.list_.size(0)) + " of " + axes[a]};
    }
  }
  return std::nullopt;
}

template <class T>
bool write_places(const CellRows& cells, std::span<const Positions> coordinates, const RowRange& range, T* out,
                  std::int64_t stride) {
  if (!cells.one_by_one()) {
    if (!is_one_row(cells)) return write_by_axes(cells, coordinates, range, out, stride);
    return cells.rows[0].write_rows(coordinates[0], range, out, stride);
  }
  bool decided = true;
  PlaceReader places(coordinates, range.b);
  for (std::int64_t i = 0; i < range.count; ++i) {
    decided &= cells.write_cell(places.at(range.first + i), out + i * stride, 1);
  }
  return decided;
}
template bool write_places(const CellRows&, std::span<const Positions>, const RowRange&, float*, std::int64_t);
template bool write_places(const CellRows&, std::span<const Positions>, const RowRange&, double*, std::int64_t);
template bool write_places(const CellRows&, std::span<const Positions>, const RowRange&, half*, std::int64_t);
template bool write_places(const CellRows&, std::span<const Positions>, const RowRange&, bfloat16*, std::int64_t);

namespace {

// Rows that are made at once: enough that a range of positions is faster than one by one, in 64 KiB of f32.
std::int64_t rows_per_block(std::int64_t width) { return std::clamp<std::int64_t>(16384 / width, 32, 512); }

}  // namespace

bool write_all_places(const CellRows& cells, std::span<const Positions> coordinates, const View& out,
                      const Executor& executor) {
  if (out.count() == 0) return true;
  const std::int64_t length = out.size(-2), sequences = out.rank == 3 ? out.size(0) : 1, d = cells.width;
  const std::int64_t size = rows_per_block(d), down = blocks(length, size);
  Decided decided;
  for_blocks(executor, sequences * down, 1, [&](std::int64_t block, std::int64_t) {
    const std::int64_t b = block / down, first = block % down * size;
    const RowRange range = {b, first, std::min(size, length - first)};
    with_real(out.dtype, [&]<class T>(T) {
      if (out.stride(-1) == 1) {
        decided.also(write_places(cells, coordinates, range, row_at<T>(out, b, first).data, out.stride(-2)));
        return;
      }
      const Scratch<T> rows(static_cast<std::size_t>(range.count * d));
      decided.also(write_places(cells, coordinates, range, rows.data(), d));
      for (std::int64_t i = 0; i < range.count; ++i) {
        const StridedRow<T> to = row_at<T>(out, b, first + i);
        for (std::int64_t c = 0; c < d; ++c) to[c] = rows.data()[i * d + c];
      }
    });
  });
  return decided.all();
}

}  // namespace posenc
