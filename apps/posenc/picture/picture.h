// SPDX-License-Identifier: Apache-2.0
// Pictures of tables: heatmaps of position by column with axes, ticks, labels and one colour scale.
#pragma once

#include <functional>

#include "apps/posenc/picture/canvas.h"

namespace posenc::tool {

/// -1 to 1: blue, white, orange. They are apart for every common kind of colour blindness, and both ends dark on white
/// paper.
Colour colour_of(double share);

/// Cells as high as there is room, or as wide as they are high.
enum class CellShape : std::uint8_t { free = 1, square };

/// Whether names and ticks stand beside the cells.
enum class MapAxes : std::uint8_t { named = 1, bare };

/// The reduction of several entries to one cell of a picture.
enum class CellValue : std::uint8_t { mean = 1, largest };

/// The rows of a map, or its columns: number i stands for number i * stride of the table and those up to the next.
struct MapSide {
  std::string name;       ///< what they are: "position"
  std::string_view unit;  ///< what several of the table's are called: "rows"
  std::int64_t stride = 1;
  std::int64_t used = 1;  ///< of every `stride` in the table those that the cells are made of
};
/// "position", "position, means of 3 rows", "position, means of 27 in every 1000 rows", "position, one of 3 rows",
/// "query, the largest of 3 tokens".
std::string words(const MapSide& side, CellValue value);

/// A table as a picture shows it: all of its rows and columns, or fewer of a large table.
struct Heatmap {
  std::string title;
  MapSide down;
  std::vector<std::string> row_names;  ///< one a row of the map, of the first that it stands for
  std::int64_t columns = 0;            ///< of the map
  std::vector<float> values;           ///< [row_names.size(), columns]
  MapSide across = {"column", "columns"};
  std::vector<std::string> column_names = {};  ///< one a kept column; none: their numbers
  CellShape cells = CellShape::free;
  MapAxes axes = MapAxes::named;
  CellValue shows = CellValue::mean;

  std::string row_words() const { return words(down, shows); }
  std::string column_words() const { return words(across, shows); }
};

/// Heatmaps side by side. `equal` joins row i of the first to row j of the second by a line.
struct Band {
  std::string title;
  std::vector<Heatmap> maps;
  std::vector<std::pair<std::int64_t, std::int64_t>> equal = {};
  std::string caption = {};
};

struct Picture {
  std::string title;
  std::vector<Band> bands;
  std::string legend = "value";  ///< what the colours are
};

/// Every stride-th of `size` things: at most `most` of them.
struct Sample {
  std::int64_t count, stride;
};
Sample sample(std::int64_t size, std::int64_t most);
inline constexpr std::int64_t most_rows = 600, most_columns = 900;
/// Up to here every row has its name beside it.
inline constexpr std::int64_t named_rows = 40;

/// The rows of a table, made when they are asked for.
struct MapRows {
  std::int64_t count;
  std::string axis;  ///< what they are: "position"
  std::function<std::string(std::int64_t row)> name;
  /// Fills out [n, columns] of f32 with rows first, first + 1, ...
  std::function<void(std::int64_t first, const View& out)> write;
};

/// At most most_rows and most_columns. Of a larger table each is the mean of those it stands for, so that no pattern
/// shows that is not there; of very many the mean of evenly spaced ones. The names of the axes say which.
Heatmap heatmap(std::string title, const MapRows& rows, std::int64_t columns);

/// The same map of fewer rows and columns, means or the largest of neighbours.
Heatmap smaller(const Heatmap& map, std::int64_t rows, std::int64_t columns);

/// The bytes of the picture, or its lines for a terminal. All of its maps share one colour scale, symmetric about zero.
std::string draw(const Picture& picture, PictureFormat format);

}  // namespace posenc::tool
