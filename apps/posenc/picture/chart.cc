// SPDX-License-Identifier: Apache-2.0
// Charts as pictures: from numbers to lengths, and where everything stands. Lengths are in points.
#include "apps/posenc/picture/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/posenc/picture/chart_axes.h"
#include "apps/posenc/picture/lengths.h"
#include "apps/posenc/picture/terminal_chart.h"

namespace posenc::tool {
namespace {

constexpr double plot_width = 430, plot_height = 290, room_below = 44, room_right = 26, words_height = 20,
                 line_height = 17;
constexpr Colour grid_colour = {0.88, 0.88, 0.88};
// Okabe and Ito's: apart for every common kind of colour blindness.
constexpr std::array<Colour, 7> curve_colours = {{{0.00, 0.45, 0.70},
                                                  {0.84, 0.37, 0.00},
                                                  {0.00, 0.62, 0.45},
                                                  {0.80, 0.47, 0.65},
                                                  {0.90, 0.62, 0.00},
                                                  {0.34, 0.71, 0.91},
                                                  {0.13, 0.13, 0.13}}};

struct Placed {
  const Chart* chart;
  Range x_range, y_range;
  double x = 0, y = 0, left = 0;  // of the plot; what stands left of it

  Point at(const Point& point) const {
    return {x + plot_width * x_range.share(point.x), y + plot_height * (1 - y_range.share(point.y))};
  }
  // Names of curves, below the words of the axis.
  double height() const {
    const double curves = chart->curves.size() > 1 ? static_cast<double>(chart->curves.size()) : 0;
    return plot_height + room_below + line_height * curves;
  }
};

std::vector<Placed> lay_out(Canvas& ruler, std::span<const Chart> charts) {
  std::vector<Placed> places;
  double x = margin;
  for (const Chart& chart : charts) {
    const auto [first, last] = ends_of(chart, &Point::x);
    const auto [low, high] = ends_of(chart, &Point::y);
    const bool linear = chart.y_scale == AxisScale::linear;
    Placed place = {&chart, exact_range(first, last), linear ? linear_range(low, high) : logarithmic_range(low, high)};
    for (const double tick_value : place.y_range.ticks) {
      place.left = std::max(place.left, ruler.width_of(tick_name(tick_value), label_size));
    }
    place.left += tick + 6 + words_height;
    place.x = std::round(x + place.left);
    place.y = margin + title_size + 12 + heading_height;
    x = place.x + plot_width + room_right;
    places.push_back(std::move(place));
  }
  return places;
}

void draw_axes(Canvas& canvas, const Placed& place) {
  const double bottom = place.y + plot_height;
  for (const double value : place.x_range.ticks) {
    const double x = std::round(place.x + plot_width * place.x_range.share(value));
    canvas.line(x, place.y, x, bottom, grid_colour);
    canvas.line(x, bottom + 1, x, bottom + tick);
    canvas.text(x, bottom + tick + 8, tick_name(value), label_size, Anchor::centre);
  }
  for (const double value : place.y_range.ticks) {
    const double y = std::round(place.y + plot_height * (1 - place.y_range.share(value)));
    canvas.line(place.x, y, place.x + plot_width, y, grid_colour);
    canvas.line(place.x - tick, y, place.x - 1, y);
    canvas.text(place.x - tick - 4, y, tick_name(value), label_size, Anchor::right);
  }
  canvas.frame(place.x, place.y, plot_width, plot_height);
  canvas.text(place.x + plot_width / 2, bottom + tick + 24, place.chart->x_axis, label_size, Anchor::centre);
  canvas.upright_text(place.x - place.left + label_size / 2, place.y + plot_height / 2, place.chart->y_axis, label_size,
                      Anchor::centre);
  canvas.text(place.x, place.y - 11, place.chart->title, heading_size, Anchor::left);
}

void draw_curves(Canvas& canvas, const Placed& place) {
  const std::pair<Point, Point> corners = {{place.x, place.y - 1}, {place.x + plot_width, place.y + plot_height + 1}};
  double y = place.y + plot_height + room_below;
  for (std::size_t i = 0; i < place.chart->curves.size(); ++i) {
    const Curve& curve = place.chart->curves[i];
    const Colour colour = curve_colours[i % curve_colours.size()];
    std::vector<Point> points;
    for (const Point& point : curve.points) {
      if (drawable(point, place.chart->y_scale)) points.push_back(place.at(point));
    }
    // The first below the others and wider, so that curves that meet are all seen.
    const auto above = static_cast<double>(place.chart->curves.size() - 1 - i);
    canvas.path(points, corners, colour, 1.5 + std::min(above, 3.0), curve.stroke);
    if (place.chart->curves.size() == 1) return;
    const std::pair<Point, Point> all = {{place.x, y - line_height}, {place.x + plot_width, y + line_height}};
    canvas.path(std::array{Point{place.x, y}, Point{place.x + 34, y}}, all, colour, 2.2, curve.stroke);
    canvas.text(place.x + 42, y, curve.name, label_size, Anchor::left);
    y += line_height;
  }
}

std::string describe(const std::string& title, std::span<const Placed> places) {
  std::string text = title;
  for (const Placed& place : places) {
    text += fmt::format(". {}: {} over {}, {} curves", place.chart->title, place.chart->y_axis, place.chart->x_axis,
                        place.chart->curves.size());
    for (const Curve& curve : place.chart->curves) text += fmt::format("; {}", curve.name);
  }
  return text;
}

}  // namespace

std::string draw(const std::string& title, std::span<const Chart> charts, PictureFormat format) {
  if (format == PictureFormat::terminal) return terminal_charts(title, charts);
  Canvas ruler(PictureFormat::png, 1, 1);
  const std::vector<Placed> places = lay_out(ruler, charts);
  double width = 2 * margin + ruler.width_of(title, title_size), height = 0;
  for (const Placed& place : places) {
    width = std::max(width, place.x + plot_width + room_right);
    height = std::max(height, place.y + place.height());
  }
  Canvas canvas(format, std::ceil(width), std::ceil(height + margin / 2));
  canvas.text(margin, margin + title_size / 2, title, title_size, Anchor::left);
  for (const Placed& place : places) {
    draw_axes(canvas, place);
    draw_curves(canvas, place);
  }
  return canvas.bytes(describe(title, places));
}

}  // namespace posenc::tool
