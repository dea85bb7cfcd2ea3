// SPDX-License-Identifier: Apache-2.0
// Tiles of a grid: which columns, which cells, and the means of what a tile has no room for.
#include "apps/posenc/picture/tiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/posenc/terminal/show.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t tiles_across = 8, tiles_down = 8;
constexpr std::int64_t tile_side = 100;                                       // cells, of a point each in a picture
constexpr std::int64_t terminal_tile_lines = 24, terminal_tile_columns = 36;  // of one tile
constexpr std::int64_t terminal_gap = 2, terminal_names = 6;                  // between tiles, and beside them
constexpr std::int64_t most_tile_values = std::int64_t{1} << 26;              // that are made for a picture
constexpr std::int64_t most_block_values = std::int64_t{1} << 20;             // that are made at once

// `most` of the numbers 0 to size - 1, the first and the last among them where there are two.
std::vector<std::int64_t> spread(std::int64_t size, std::int64_t most) {
  const std::int64_t count = std::min(size, most);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(count == 1 ? 0 : i * (size - 1) / (count - 1));
  return numbers;
}

// One axis of a tile: its cells each stand for `stride` cells of the grid, of which some are averaged.
struct TileAxis {
  std::int64_t size;
  Sample cells;
  std::int64_t averaged;

  std::vector<std::int64_t> places() const {
    std::vector<std::int64_t> all;
    for (std::int64_t cell = 0; cell < cells.count; ++cell) {
      const std::int64_t first = cell * cells.stride, patch = std::min(cells.stride, size - first);
      for (const std::int64_t place : spread(patch, averaged)) all.push_back(first + place);
    }
    return all;
  }
};

// The means of some columns over the cells of one tile.
class TileSums {
 public:
  TileSums(const TileAxis& down, const TileAxis& across, std::span<const std::int64_t> columns)
      : down_(down), across_(across), columns_(columns), counts_(cells()), sums_(cells() * columns.size()) {}

  void add(std::int64_t y, std::int64_t x, std::span<const float> row) {
    const auto cell = static_cast<std::size_t>(y / down_.cells.stride * across_.cells.count + x / across_.cells.stride);
    ++counts_[cell];
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      sums_[k * counts_.size() + cell] += static_cast<double>(row[static_cast<std::size_t>(columns_[k])]);
    }
  }

  std::vector<float> means(std::size_t k) const {
    std::vector<float> values;
    for (std::size_t cell = 0; cell < counts_.size(); ++cell) {
      values.push_back(static_cast<float>(sums_[k * counts_.size() + cell] / static_cast<double>(counts_[cell])));
    }
    return values;
  }

 private:
  std::size_t cells() const { return static_cast<std::size_t>(down_.cells.count * across_.cells.count); }

  TileAxis down_, across_;
  std::span<const std::int64_t> columns_;
  std::vector<std::int64_t> counts_;
  std::vector<double> sums_;
};

// Tiles of a grid's picture: the sampled cells, and the columns and leading indices that become tiles.
struct Tiling {
  TileAxis down, across;
  std::vector<std::int64_t> columns, leading;  // of the table; indices of the other axes, as one number
  std::string down_name, across_name;
  std::int64_t width;  // of a row of the table

  TileSums sums(const MapRows& rows, std::int64_t index) const;
  Heatmap map(const TileSums& sums, std::size_t k) const;
};

// Neighbours are made at once.
TileSums Tiling::sums(const MapRows& rows, std::int64_t index) const {
  TileSums sums(down, across, columns);
  const std::vector<std::int64_t> xs = across.places();
  const std::int64_t most = std::max<std::int64_t>(1, most_block_values / width);
  std::vector<float> patch(static_cast<std::size_t>(std::min<std::int64_t>(most, std::ssize(xs)) * width));
  for (const std::int64_t y : down.places()) {
    const std::int64_t line = (index * down.size + y) * across.size;
    for (std::size_t i = 0, end = 0; i < xs.size(); i = end) {
      for (end = i + 1; end < xs.size() && xs[end] == xs[end - 1] + 1 && static_cast<std::int64_t>(end - i) < most;)
        ++end;
      const auto count = static_cast<std::int64_t>(end - i);
      rows.write(line + xs[i], view(patch.data(), {count, width}));
      for (std::int64_t j = 0; j < count; ++j) {
        const auto at = static_cast<std::size_t>(j * width);
        sums.add(y, xs[i] + j, std::span(patch).subspan(at, static_cast<std::size_t>(width)));
      }
    }
  }
  return sums;
}

MapSide side_of(const std::string& name, const TileAxis& axis) {
  return {name, "cells", axis.cells.stride, axis.averaged};
}

Heatmap Tiling::map(const TileSums& sums, std::size_t k) const {
  Heatmap tile = {.title = fmt::format("column {}", columns[k]),
                  .down = side_of(down_name, down),
                  .row_names = {},
                  .columns = across.cells.count,
                  .values = sums.means(k),
                  .across = side_of(across_name, across)};
  for (std::int64_t y = 0; y < down.cells.count; ++y)
    tile.row_names.push_back(fmt::format("{}", y * down.cells.stride));
  tile.cells = CellShape::square;
  tile.axes = MapAxes::bare;
  return tile;
}

std::int64_t terminal_tiles(std::int64_t tile_columns) {
  const std::int64_t room = terminal_width() - terminal_names + terminal_gap;
  return std::clamp(room / (tile_columns + terminal_gap), std::int64_t{1}, tiles_across);
}

Tiling tiling_of(std::span<const std::int64_t> shape, std::span<const std::string> axes, PictureFormat format) {
  const std::size_t last = shape.size() - 2;
  const bool terminal = format == PictureFormat::terminal;
  const std::int64_t height = shape[last - 1], width = shape[last], columns = shape.back();
  std::int64_t others = 1;
  for (const std::int64_t size : shape.first(last - 1)) others *= size;
  Tiling made;
  made.width = columns;
  made.down = {height, sample(height, terminal ? terminal_tile_lines : tile_side), 1};
  made.across = {width, sample(width, terminal ? terminal_tile_columns : tile_side), 1};
  const std::int64_t across = terminal ? terminal_tiles(made.across.cells.count) : tiles_across;
  made.columns = spread(columns, others > 1 || terminal ? across : tiles_across * tiles_down);
  made.leading = spread(others, terminal ? 1 : tiles_down);
  const std::int64_t made_once = made.down.cells.count * made.across.cells.count * std::ssize(made.leading) * columns;
  const auto side =
      static_cast<std::int64_t>(std::sqrt(std::max(1.0, static_cast<double>(most_tile_values / made_once))));
  made.down.averaged = std::min(side, made.down.cells.stride);
  made.across.averaged = std::min(side, made.across.cells.stride);
  made.down_name = axes[last - 1];
  made.across_name = axes[last];
  return made;
}

// "t 2, z 0: " of the axes before the last two.
std::string place_of(std::span<const std::int64_t> shape, std::span<const std::string> axes, std::int64_t index) {
  std::vector<std::string> names;
  for (std::size_t axis = shape.size() - 3; axis-- > 0; index /= shape[axis]) {
    names.insert(names.begin(), fmt::format("{} {}", axes[axis], index % shape[axis]));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Beside each other, with empty cells between them.
Heatmap in_a_row(std::span<const Heatmap> maps, std::string title) {
  Heatmap row = maps[0];
  row.title = std::move(title);
  row.columns = std::ssize(maps) * (row.columns + terminal_gap) - terminal_gap;
  row.values.clear();
  for (std::size_t y = 0; y < row.row_names.size(); ++y) {
    for (const Heatmap& map : maps) {
      if (&map != maps.data())
        row.values.insert(row.values.end(), terminal_gap, std::numeric_limits<float>::quiet_NaN());
      const auto first = map.values.begin() + static_cast<std::ptrdiff_t>(y) * map.columns;
      row.values.insert(row.values.end(), first, first + map.columns);
    }
  }
  return row;
}

}  // namespace

std::vector<Band> tiles(const MapRows& rows, std::span<const std::int64_t> shape, std::span<const std::string> axes,
                        PictureFormat format) {
  const Tiling tiling = tiling_of(shape, axes, format);
  std::vector<Band> bands;
  for (const std::int64_t index : tiling.leading) {
    const TileSums sums = tiling.sums(rows, index);
    for (std::size_t k = 0; k < tiling.columns.size(); ++k) {
      if (k % tiles_across == 0) bands.push_back({k == 0 ? place_of(shape, axes, index) : "", {}});
      bands.back().maps.push_back(tiling.map(sums, k));
    }
  }
  const Heatmap& tile = bands.back().maps.back();
  bands.back().caption = fmt::format("tiles: down: {}; across: {}", tile.row_words(), tile.column_words());
  if (format != PictureFormat::terminal) return bands;
  const std::string title = fmt::format("columns {}", fmt::join(tiling.columns, ", "));
  return {{bands[0].title, {in_a_row(bands[0].maps, title)}}};
}

}  // namespace posenc::tool
