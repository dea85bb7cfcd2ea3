// SPDX-License-Identifier: Apache-2.0
// Ticks at round numbers, and where numbers stand between the ends of an axis.
#include "apps/posenc/picture/chart_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace posenc::tool {
namespace {

// 1, 2 or 5 times a power of ten, so that `size` has at most `most` of them.
double step_of(double size, double most) {
  const double power = std::pow(10, std::floor(std::log10(size / most)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (size <= factor * power * most) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double Range::share(double value) const {
  const auto at = [&](double x) { return scale == AxisScale::linear ? x : std::log10(x); };
  return (at(value) - at(low)) / (at(high) - at(low));
}

Range linear_range(double low, double high) {
  if (low == high) high = low + (low == 0 ? 1 : std::fabs(low));
  const double step = step_of(high - low, 7);
  Range range{std::floor(low / step) * step, std::ceil(high / step) * step, AxisScale::linear, {}};
  const auto steps = static_cast<int>(std::lround((range.high - range.low) / step));
  for (int i = 0; i <= steps; ++i) range.ticks.push_back((std::floor(low / step) + i) * step);
  return range;
}

Range colour_range(double low, double high) {
  constexpr double rounding = 1e-6;
  return linear_range(low * (1 - rounding), high * (1 - rounding));
}

Range exact_range(double low, double high) {
  if (low == high) return linear_range(low, high);
  const double step = step_of(high - low, 7);
  Range range{low, high, AxisScale::linear, {}};
  for (double i = std::ceil(low / step); i * step <= high; ++i) range.ticks.push_back(i * step);
  return range;
}

Range logarithmic_range(double low, double high) {
  const auto first = static_cast<int>(std::floor(std::log10(low)));
  const auto last = std::max(first + 1, static_cast<int>(std::ceil(std::log10(high))));
  Range range{std::pow(10, first), std::pow(10, last), AxisScale::logarithmic, {}};
  const int step = (last - first) / 9 + 1;
  for (int power = first; power <= last; power += step) range.ticks.push_back(std::pow(10, power));
  return range;
}

bool drawable(const Point& point, AxisScale scale) {
  return std::isfinite(point.x) && std::isfinite(point.y) && (scale == AxisScale::linear || point.y > 0);
}

std::pair<double, double> ends_of(const Chart& chart, double Point::* coordinate) {
  double low = INFINITY, high = -INFINITY;
  for (const Curve& curve : chart.curves) {
    for (const Point& point : curve.points) {
      if (!drawable(point, chart.y_scale)) continue;
      low = std::min(low, point.*coordinate);
      high = std::max(high, point.*coordinate);
    }
  }
  return low > high ? std::pair{1.0, 1.0} : std::pair{low, high};
}

std::string tick_name(double value) {
  std::string name = fmt::format("{:.10g}", value);
  if (const std::size_t plus = name.find("e+0"); plus != name.npos) return name.replace(plus, 3, "e");
  if (const std::size_t plus = name.find("e+"); plus != name.npos) return name.replace(plus, 2, "e");
  return name;
}

}  // namespace posenc::tool
