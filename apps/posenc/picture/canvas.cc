// SPDX-License-Identifier: Apache-2.0
// A drawing surface that ends as PNG or SVG bytes. The same calls draw both.
#include "apps/posenc/picture/canvas.h"

#include <cairo-ft.h>
#include <cairo-svg.h>
#include <fmt/format.h>
#include <fontconfig/fontconfig.h>

#include <new>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr double png_pixels = 2;  // a point

cairo_status_t append(void* text, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  if (status != CAIRO_STATUS_SUCCESS) {
    throw Error({"picture", "Cairo must draw it", cairo_status_to_string(status), {}, Cause::system});
  }
}

struct FreeFont {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
  void operator()(FcCharSet* set) const { FcCharSetDestroy(set); }
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
};
template <class T>
using Handle = std::unique_ptr<T, FreeFont>;

// Calls f(code point, bytes) for every character.
template <class F>
void each_character(const std::string& text, F f) {
  for (std::size_t at = 0; at < text.size();) {
    FcChar32 point = 0;
    const int size =
        FcUtf8ToUcs4(reinterpret_cast<const FcChar8*>(text.data() + at), &point, static_cast<int>(text.size() - at));
    const std::size_t step = size > 0 ? static_cast<std::size_t>(size) : 1;
    f(size > 0 ? point : FcChar32{0xFFFD}, text.substr(at, step));
    at += step;
  }
}

// The sans-serif font that suits the text best, and whether it has all its characters.
struct Font {
  Handle<cairo_font_face_t> face;
  bool complete;
};
Font font_for(const std::string& text) {
  const Handle<FcCharSet> wanted(FcCharSetCreate());
  each_character(text, [&](FcChar32 point, const std::string&) { FcCharSetAddChar(wanted.get(), point); });
  const Handle<FcPattern> pattern(FcPatternCreate());
  FcPatternAddString(pattern.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
  FcPatternAddCharSet(pattern.get(), FC_CHARSET, wanted.get());
  FcConfigSubstitute(nullptr, pattern.get(), FcMatchPattern);
  FcDefaultSubstitute(pattern.get());
  FcResult result = FcResultMatch;
  const Handle<FcPattern> match(FcFontMatch(nullptr, pattern.get(), &result));
  if (!match) return {nullptr, false};
  FcCharSet* had = nullptr;  // owned by the match
  FcPatternGetCharSet(match.get(), FC_CHARSET, 0, &had);
  return {Handle<cairo_font_face_t>(cairo_ft_font_face_create_for_pattern(match.get())),
          had != nullptr && FcCharSetIsSubset(wanted.get(), had) == FcTrue};
}

// The text, with every character that no installed font has as U+XXXX.
std::string drawable(const std::string& text) {
  if (font_for(text).complete) return text;
  std::string result;
  bool escaped = false;
  each_character(text, [&](FcChar32 point, const std::string& bytes) {
    const bool known = font_for(bytes).complete;
    result += known ? bytes : fmt::format("{}U+{:04X}", escaped ? " " : "", point);
    escaped = !known;
  });
  return result;
}

// Sets the font and returns what to show in it.
std::string prepare(cairo_t* cairo, const std::string& text, double size) {
  const std::string shown = drawable(text);
  if (const Font font = font_for(shown); font.face) cairo_set_font_face(cairo, font.face.get());
  cairo_set_font_size(cairo, size);
  return shown;
}

double advance(cairo_t* cairo, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text.c_str(), &extents);
  return extents.x_advance;
}

void write_text(cairo_t* cairo, const std::string& text, double size, Anchor anchor) {
  const std::string shown = prepare(cairo, text, size);
  const double share = anchor == Anchor::left ? 0 : anchor == Anchor::centre ? 0.5 : 1;
  cairo_rel_move_to(cairo, -share * advance(cairo, shown), 0.35 * size);  // 0.35: half the height of capitals
  cairo_show_text(cairo, shown.c_str());
}

std::string escaped_for_xml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return escaped;
}

}  // namespace

PictureFormat picture_format(std::string_view operation, std::string_view path) {
  if (path.ends_with(".png")) return PictureFormat::png;
  if (path.ends_with(".svg")) return PictureFormat::svg;
  if (path == standard_stream) return PictureFormat::terminal;
  refuse(operation, "the name of --plot must end in .png or .svg, or be - for the terminal", quote(path));
}

Canvas::Canvas(PictureFormat format, double width, double height) : format_(format) {
  if (format == PictureFormat::svg) {
    surface_.reset(cairo_svg_surface_create_for_stream(append, stream_.get(), width, height));
  } else {
    surface_.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * png_pixels),
                                              static_cast<int>(height * png_pixels)));
    cairo_surface_set_device_scale(surface_.get(), png_pixels, png_pixels);
  }
  check(cairo_surface_status(surface_.get()));
  cairo_.reset(cairo_create(surface_.get()));
  cairo_set_source_rgb(cairo_.get(), 1, 1, 1);
  cairo_paint(cairo_.get());
}

double Canvas::width_of(const std::string& text, double size) {
  return advance(cairo_.get(), prepare(cairo_.get(), text, size));
}

void Canvas::text(double x, double y, const std::string& text, double size, Anchor anchor, Colour colour) {
  set(colour);
  cairo_move_to(cairo_.get(), x, y);
  write_text(cairo_.get(), text, size, anchor);
}

void Canvas::upright_text(double x, double y, const std::string& text, double size, Anchor anchor) {
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), x, y);
  cairo_rotate(cairo_.get(), -1.5707963267948966);
  set(ink);
  cairo_move_to(cairo_.get(), 0, 0);
  write_text(cairo_.get(), text, size, anchor);
  cairo_restore(cairo_.get());
}

void Canvas::line(double x0, double y0, double x1, double y1, Colour colour, double thickness) {
  set(colour);
  cairo_set_line_width(cairo_.get(), thickness);
  cairo_move_to(cairo_.get(), x0, y0);
  cairo_line_to(cairo_.get(), x1, y1);
  cairo_stroke(cairo_.get());
}

void Canvas::path(std::span<const Point> points, const std::pair<Point, Point>& corners, Colour colour,
                  double thickness, Stroke stroke) {
  cairo_save(cairo_.get());
  const auto& [low, high] = corners;
  cairo_rectangle(cairo_.get(), low.x, low.y, high.x - low.x, high.y - low.y);
  cairo_clip(cairo_.get());
  constexpr double dashes[] = {6, 4};
  if (stroke == Stroke::dashed) cairo_set_dash(cairo_.get(), dashes, 2, 0);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_width(cairo_.get(), thickness);
  set(colour);
  for (const Point& point : points) cairo_line_to(cairo_.get(), point.x, point.y);
  cairo_stroke(cairo_.get());
  cairo_restore(cairo_.get());
}

void Canvas::frame(double x, double y, double width, double height, Colour colour, double thickness) {
  set(colour);
  cairo_set_line_width(cairo_.get(), thickness);
  cairo_rectangle(cairo_.get(), x - thickness / 2, y - thickness / 2, width + thickness, height + thickness);
  cairo_stroke(cairo_.get());
}

void Canvas::cells(double x, double y, double width, double height, std::span<const Colour> colours,
                   std::int64_t columns) {
  // One pixel a point, so that no viewer smooths the cells of an SVG.
  const std::int64_t rows = std::ssize(colours) / columns;
  const auto across = static_cast<std::int64_t>(width), down = static_cast<std::int64_t>(height);
  const std::unique_ptr<cairo_surface_t, Free> image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(across), static_cast<int>(down)));
  check(cairo_surface_status(image.get()));
  cairo_surface_flush(image.get());
  unsigned char* data = cairo_image_surface_get_data(image.get());
  const std::int64_t stride = cairo_image_surface_get_stride(image.get());
  const auto byte = [](double part) { return static_cast<std::uint32_t>(part * 255 + 0.5); };
  for (std::int64_t i = 0; i < down; ++i) {
    for (std::int64_t j = 0; j < across; ++j) {
      const Colour& c = colours[static_cast<std::size_t>(i * rows / down * columns + j * columns / across)];
      reinterpret_cast<std::uint32_t*>(data + i * stride)[j] = byte(c.red) << 16 | byte(c.green) << 8 | byte(c.blue);
    }
  }
  cairo_surface_mark_dirty(image.get());
  cairo_set_source_surface(cairo_.get(), image.get(), x, y);
  cairo_pattern_set_filter(cairo_get_source(cairo_.get()), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cairo_.get(), x, y, width, height);
  cairo_fill(cairo_.get());
}

std::string Canvas::bytes(const std::string& description) {
  check(cairo_status(cairo_.get()));
  if (format_ == PictureFormat::png) {
    check(cairo_surface_write_to_png_stream(surface_.get(), append, stream_.get()));
    return *stream_;
  }
  cairo_surface_finish(surface_.get());
  check(cairo_surface_status(surface_.get()));
  const std::size_t root = stream_->find("<svg");
  const std::size_t inside = stream_->find('>', root) + 1;
  return stream_->insert(inside, fmt::format("\n<title>{}</title>", escaped_for_xml(description)));
}

}  // namespace posenc::tool
