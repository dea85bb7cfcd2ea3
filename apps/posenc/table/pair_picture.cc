// SPDX-License-Identifier: Apache-2.0
// Matrices side by side, at most eight, on one scale of colours.
#include "apps/posenc/table/pair_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/posenc/cli/positions.h"
#include "apps/posenc/picture/chart.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/table/axis_names.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_maps = 8, maps_in_band = 4, most_cells = 600;

// The rows and columns of one matrix: element `first` on, `stride` apart along a row.
struct Matrix {
  std::string title;
  std::int64_t first, row_stride, column_stride;
};

Heatmap map_of(const AxisNames& names, const Tensor& tensor, const Matrix& matrix, std::size_t row_axis) {
  const Sample rows = sample(tensor.shape[row_axis], most_cells),
               columns = sample(tensor.shape[row_axis + 1], most_cells);
  Heatmap map = {.title = matrix.title,
                 .down = {tensor.axes[row_axis], "rows", rows.stride},
                 .row_names = {},
                 .columns = columns.count,
                 .values = {},
                 .across = {tensor.axes[row_axis + 1], "columns", columns.stride},
                 .column_names = {},
                 .cells = CellShape::square};
  for (std::int64_t i = 0; i < rows.count; ++i) {
    map.row_names.push_back(names.of(tensor.axes[row_axis], i * rows.stride));
    for (std::int64_t j = 0; j < columns.count; ++j) {
      const std::int64_t at =
          matrix.first + i * rows.stride * matrix.row_stride + j * columns.stride * matrix.column_stride;
      map.values.push_back(static_cast<float>(element(tensor, at)));
    }
  }
  for (std::int64_t j = 0; j < columns.count; ++j)
    map.column_names.push_back(names.of(tensor.axes[row_axis + 1], j * columns.stride));
  return map;
}

// [L, S]: one; [H, L, S]: one a head; [dy, dx, 2]: one a coordinate.
Picture matrices(const AxisNames& names, const Tensor& tensor, const std::string& title) {
  Picture picture{title, {}, is_integer(tensor.dtype) ? "class" : "value"};
  const auto add = [&](const Matrix& matrix, std::size_t row_axis) {
    if (picture.bands.empty() || std::ssize(picture.bands.back().maps) == maps_in_band)
      picture.bands.push_back({"", {}});
    picture.bands.back().maps.push_back(map_of(names, tensor, matrix, row_axis));
  };
  const std::int64_t last = tensor.shape.back();
  if (tensor.shape.size() == 2) {
    add({"", 0, last, 1}, 0);
  } else if (tensor.axes.front() == "head") {
    const Sample heads = sample(tensor.shape[0], most_maps);
    for (std::int64_t h = 0; h < heads.count; ++h) {
      const std::int64_t head = h * heads.stride;
      add({fmt::format("head {}", head), head * tensor.shape[1] * last, last, 1}, 1);
    }
  } else {
    for (std::int64_t k = 0; k < last; ++k) {
      add({fmt::format("{} {}", tensor.axes.back(), k), k, tensor.shape[1] * last, last}, 0);
    }
  }
  return picture;
}

// Over positions, or the numbers of places on several axes.
Chart curve_of(const Places& places, const Tensor& tensor) {
  Curve curve;
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    const double x = places.axes.size() == 1 ? number(places.lists[0], i) : static_cast<double>(i);
    curve.points.push_back({x, element(tensor, i)});
  }
  return {"", tensor.axes[0], is_integer(tensor.dtype) ? "row of the table" : "factor", AxisScale::linear, {curve}};
}

}  // namespace

std::string pair_picture(const Arguments& arguments, const Choice& choice, const Tensor& tensor) {
  const PictureFormat format = picture_format(arguments.operation, *arguments.find("--plot"));
  const std::string title =
      fmt::format("{}: {} ({})", choice.name, fmt::join(tensor.shape, " x "), fmt::join(tensor.axes, ", "));
  if (tensor.shape.size() > 1) return draw(matrices(AxisNames(arguments, choice.convention), tensor, title), format);
  const Chart chart[] = {curve_of(read_places(arguments, "--positions", choice), tensor)};
  return draw(title, chart, format);
}

}  // namespace posenc::tool
