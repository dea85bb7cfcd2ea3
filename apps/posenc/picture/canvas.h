// SPDX-License-Identifier: Apache-2.0
// A drawing surface that ends as PNG or SVG bytes: Cairo, its text, and fonts that have the characters asked for.
#pragma once

#include <cairo.h>
#include <posenc/core.h>

#include <memory>

namespace posenc::tool {

enum class PictureFormat : std::uint8_t { png = 1, svg, terminal };

/// By the end of the name, .png or .svg; - is the terminal.
PictureFormat picture_format(std::string_view operation, std::string_view path);

enum class Anchor : std::uint8_t { left = 1, centre, right };

struct Colour {
  double red, green, blue;
};
inline constexpr Colour ink = {0.13, 0.13, 0.13};
inline constexpr Colour faint = {0.45, 0.45, 0.45};

struct Point {
  double x, y;
};
enum class Stroke : std::uint8_t { solid = 1, dashed };

/// Lengths are in points of the picture; a PNG has two pixels a point. Characters that no installed font has are drawn
/// as U+XXXX.
class Canvas {
 public:
  Canvas(PictureFormat format, double width, double height);

  double width_of(const std::string& text, double size);
  /// `y` is the middle of the line of text.
  void text(double x, double y, const std::string& text, double size, Anchor anchor, Colour colour = ink);
  /// Upwards; `x` is the middle of the line of text.
  void upright_text(double x, double y, const std::string& text, double size, Anchor anchor);
  void line(double x0, double y0, double x1, double y1, Colour colour = ink, double thickness = 1);
  /// The line through all points, cut at the rectangle between the two corners.
  void path(std::span<const Point> points, const std::pair<Point, Point>& corners, Colour colour, double thickness,
            Stroke stroke);
  /// A line around the outside of the rectangle.
  void frame(double x, double y, double width, double height, Colour colour = ink, double thickness = 1);
  /// Cells of the same size, row-major, filling the rectangle.
  void cells(double x, double y, double width, double height, std::span<const Colour> colours, std::int64_t columns);

  /// The file. `description` becomes the title of an SVG, for readers who do not see it.
  std::string bytes(const std::string& description);

 private:
  struct Free {
    void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  };
  void set(Colour colour) { cairo_set_source_rgb(cairo_.get(), colour.red, colour.green, colour.blue); }

  PictureFormat format_;
  std::unique_ptr<std::string> stream_ = std::make_unique<std::string>();
  std::unique_ptr<cairo_surface_t, Free> surface_;
  std::unique_ptr<cairo_t, Free> cairo_;
};

}  // namespace posenc::tool
