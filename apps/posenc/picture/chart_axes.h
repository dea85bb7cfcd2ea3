// SPDX-License-Identifier: Apache-2.0
// The axes of charts: which numbers an axis spans, and which of them are named.
#pragma once

#include <vector>

#include "apps/posenc/picture/chart.h"

namespace posenc::tool {

/// Along an axis: from `low` to `high`, with names at the ticks.
struct Range {
  double low, high;
  AxisScale scale;
  std::vector<double> ticks;

  /// 0 at `low`, 1 at `high`.
  double share(double value) const;
};

/// From the first number to the last.
Range exact_range(double low, double high);
/// Round numbers around both.
Range linear_range(double low, double high);
/// The same of a bar of colours, which has no room for an end of 1.5 where 1 is exceeded by a rounding.
Range colour_range(double low, double high);
/// Powers of ten, every n-th where there are many.
Range logarithmic_range(double low, double high);

/// Whether the point has a place in a chart.
bool drawable(const Point& point, AxisScale scale);
/// The least and the largest coordinate of the points that are drawn; 1 and 1 where none is.
std::pair<double, double> ends_of(const Chart& chart, double Point::* coordinate);
/// "1e6" in place of "1e+06".
std::string tick_name(double value);

}  // namespace posenc::tool
