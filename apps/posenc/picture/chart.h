// SPDX-License-Identifier: Apache-2.0
// Charts: curves over one axis, with ticks, units and names.
#pragma once

#include "apps/posenc/picture/canvas.h"

namespace posenc::tool {

struct Curve {
  std::string name;  ///< beside its colour, where there are several
  std::vector<Point> points;
  Stroke stroke = Stroke::solid;
};

/// How a number becomes a length along an axis.
enum class AxisScale : std::uint8_t { linear = 1, logarithmic };

struct Chart {
  std::string title;
  std::string x_axis, y_axis;  ///< with their units
  AxisScale y_scale;
  std::vector<Curve> curves;
};

/// The bytes of the picture: charts side by side, below each other in a terminal. Points that are not finite, or not
/// above 0 on a logarithmic axis, are left out.
std::string draw(const std::string& title, std::span<const Chart> charts, PictureFormat format);

}  // namespace posenc::tool
