// SPDX-License-Identifier: Apache-2.0
// Curves out of characters: which cells each passes, ticks beside them, names below.
#include "apps/posenc/picture/terminal_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "apps/posenc/picture/chart_axes.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/show.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t chart_lines = 16, narrowest_chart = 16;

// The curves that pass a cell, by their numbers.
using Cell = std::vector<std::size_t>;

class Grid {
 public:
  Grid(const Chart& chart, std::int64_t width) : width_(width), cells_(static_cast<std::size_t>(chart_lines * width)) {
    const auto [first, last] = ends_of(chart, &Point::x);
    const auto [low, high] = ends_of(chart, &Point::y);
    x_ = exact_range(first, last);
    y_ = chart.y_scale == AxisScale::linear ? linear_range(low, high) : logarithmic_range(low, high);
    for (std::size_t i = 0; i < chart.curves.size(); ++i) add(chart, i);
  }

  const Range& x() const { return x_; }
  /// The names of the ticks by their lines.
  std::map<std::int64_t, std::string> names() const {
    std::map<std::int64_t, std::string> found;
    for (const double value : y_.ticks) found.try_emplace(line_of(value), tick_name(value));
    return found;
  }
  std::span<const Cell> row(std::int64_t line) const {
    return std::span(cells_).subspan(static_cast<std::size_t>(line * width_), static_cast<std::size_t>(width_));
  }

 private:
  std::int64_t line_of(double y) const { return std::lround((1 - y_.share(y)) * static_cast<double>(chart_lines - 1)); }

  void mark(std::size_t curve, double across, double up) {
    const auto line =
        std::clamp<std::int64_t>(std::lround((1 - up) * static_cast<double>(chart_lines - 1)), 0, chart_lines - 1);
    const auto column = std::clamp<std::int64_t>(std::lround(across * static_cast<double>(width_ - 1)), 0, width_ - 1);
    Cell& cell = cells_[static_cast<std::size_t>(line * width_ + column)];
    if (cell.empty() || cell.back() != curve) cell.push_back(curve);
  }

  // From point to point, in steps of less than a cell.
  void add(const Chart& chart, std::size_t number) {
    std::optional<Point> before;
    for (const Point& point : chart.curves[number].points) {
      if (!drawable(point, chart.y_scale)) continue;
      const Point at = {x_.share(point.x), y_.share(point.y)};
      const Point from = before.value_or(at);
      const double length = std::max(std::fabs(at.x - from.x) * static_cast<double>(width_),
                                     std::fabs(at.y - from.y) * static_cast<double>(chart_lines));
      const auto steps = static_cast<std::int64_t>(length) + 1;
      for (std::int64_t i = 1; i <= steps; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(steps);
        mark(number, from.x + share * (at.x - from.x), from.y + share * (at.y - from.y));
      }
      before = at;
    }
  }

  std::int64_t width_;
  Range x_, y_;
  std::vector<Cell> cells_;
};

std::string lines_of(const Chart& chart, std::int64_t width, Ink with) {
  const Grid ruler(chart, narrowest_chart);
  std::size_t label = 0;
  for (const auto& [line, name] : ruler.names()) label = std::max(label, name.size());
  const Grid grid(chart, std::max(narrowest_chart, width - static_cast<std::int64_t>(label) - 2));
  const std::map<std::int64_t, std::string> names = grid.names();
  std::string text =
      fmt::format("{}up: {}{}; across: {}, {} to {}\n", chart.title.empty() ? "" : printable(chart.title) + ": ",
                  printable(chart.y_axis), chart.y_scale == AxisScale::logarithmic ? " (logarithmic)" : "",
                  printable(chart.x_axis), tick_name(grid.x().low), tick_name(grid.x().high));
  for (std::int64_t line = 0; line < chart_lines; ++line) {
    const auto name = names.find(line);
    text += fmt::format("{:>{}} {}", name == names.end() ? "" : name->second, label, name == names.end() ? ' ' : '+');
    const std::span<const Cell> row = grid.row(line);
    std::string cells;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const Cell& cell = row[column];
      cells += cell.empty() ? " " : curve_cell(cell[column % cell.size()], with);
    }
    text += cells.substr(0, cells.find_last_not_of(' ') + 1) + "\n";
  }
  if (chart.curves.size() == 1) return text;
  for (std::size_t i = 0; i < chart.curves.size(); ++i) {
    text += fmt::format("{:>{}}  {} {}\n", "", label, curve_cell(i, with), printable(chart.curves[i].name));
  }
  return text;
}

}  // namespace

std::string terminal_charts(const std::string& title, std::span<const Chart> charts) {
  const Ink with = ink_of_standard_output();
  std::string text = printable(title) + "\n";
  for (const Chart& chart : charts) text += "\n" + lines_of(chart, terminal_width(), with);
  return text;
}

}  // namespace posenc::tool
