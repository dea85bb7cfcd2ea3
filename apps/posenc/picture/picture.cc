// SPDX-License-Identifier: Apache-2.0
// Pictures of tables: from values to colours, and where everything stands. Lengths are in points.
#include "apps/posenc/picture/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/posenc/picture/chart_axes.h"
#include "apps/posenc/picture/lengths.h"
#include "apps/posenc/picture/terminal_picture.h"

namespace posenc::tool {
namespace {

constexpr double axis_height = 40, caption_height = 26;
constexpr double gap = 64;                      // between maps side by side, before the labels of the right one
constexpr double bare_gap = 18, bare_foot = 6;  // between maps without labels, and below them
constexpr double legend_width = 96, legend_height = 180;
constexpr double target_width = 800, target_height = 480, tallest_cell = 26, widest_cell = 24;

// Range of the colour bar. It ends at the least round number above the largest value of all maps, or above the 99 %
// quantile where a few outliers exceed it.
struct Scale {
  Range range;
  bool exceeded;
};
Scale scale_of(const Picture& picture) {
  double limit = 0, largest = 0;
  for (const Band& band : picture.bands) {
    for (const Heatmap& map : band.maps) {
      std::vector<double> sizes;
      for (const float value : map.values) sizes.push_back(std::fabs(static_cast<double>(value)));
      if (sizes.empty()) continue;
      std::ranges::sort(sizes);
      const double usual = sizes[(sizes.size() - 1) * 99 / 100], most = sizes.back();
      largest = std::max(largest, most);
      limit = std::max(limit, usual > 0 && most > 1.5 * usual ? usual : most);
    }
  }
  const bool drawable = std::isfinite(limit) && limit > 1e-300;
  const Range range = colour_range(drawable ? -limit : -1, drawable ? limit : 1);
  return {range, largest > limit && largest > range.high};
}

struct Place {
  double x, y, width, height;  // of the cells
};

Place size_of(const Heatmap& map, std::size_t maps_in_band) {
  const auto rows = static_cast<double>(map.row_names.size()), columns = static_cast<double>(map.columns);
  const double room = target_width / static_cast<double>(maps_in_band);
  const double cell_width = std::clamp(std::floor(room / columns), 1.0, widest_cell);
  const double cell_height = std::clamp(std::floor(target_height / rows), 1.0, tallest_cell);
  if (map.cells == CellShape::free) return {0, 0, columns * cell_width, rows * cell_height};
  const double side = std::min(cell_width, cell_height);
  return {0, 0, columns * side, rows * side};
}

// The space left of the cells: row names, and the name of the axis.
double left_of(Canvas& canvas, const Heatmap& map) {
  if (map.axes == MapAxes::bare) return 0;
  double widest = 0;
  const std::size_t step = std::ssize(map.row_names) <= named_rows ? 1 : map.row_names.size() / 16;
  for (std::size_t i = 0; i < map.row_names.size(); i += step) {
    widest = std::max(widest, canvas.width_of(map.row_names[i], label_size));
  }
  return widest + tick + (map.down.name.empty() ? 8 : 28);
}

double gap_of(const Heatmap& map) { return map.axes == MapAxes::bare ? bare_gap : gap; }

// The space below the cells.
double foot_of(const Band& band) {
  return !band.maps.empty() && band.maps[0].axes == MapAxes::bare ? bare_foot : axis_height;
}

struct Layout {
  double width, height;
  std::vector<std::vector<Place>> places;  // as bands and maps
};

Layout lay_out(Canvas& ruler, const Picture& picture) {
  Layout layout{0, margin + title_size + 10, {}};
  for (const Band& band : picture.bands) {
    double x = margin, tallest = 0;
    layout.height += band.title.empty() ? 0 : heading_height;
    layout.places.emplace_back();
    for (const Heatmap& map : band.maps) {
      Place place = size_of(map, band.maps.size());
      x += left_of(ruler, map) + (&map == band.maps.data() ? 0 : gap_of(map));
      place.x = std::round(x);
      place.y = layout.height + heading_height;
      x = place.x + std::max(place.width, map.axes == MapAxes::bare ? ruler.width_of(map.title, heading_size) : 0);
      tallest = std::max(tallest, place.height);
      layout.places.back().push_back(place);
    }
    layout.width = std::max(layout.width, x);
    layout.height += heading_height + tallest + foot_of(band) + (band.caption.empty() ? 0 : caption_height) + 8;
  }
  layout.width = std::max(layout.width, ruler.width_of(picture.title, title_size) + 2 * margin) + legend_width;
  layout.height = std::max(layout.height, margin + title_size + 10 + heading_height + legend_height + 50);
  return layout;
}

// 1, 2 or 5 times a power of ten, so that `size` has at most `most` of them.
std::int64_t tick_step(std::int64_t size, std::int64_t most) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (size <= factor * power * most) return factor * power;
    }
  }
}

void draw_row_axis(Canvas& canvas, const Heatmap& map, const Place& place) {
  const auto rows = std::ssize(map.row_names);
  const double cell = place.height / static_cast<double>(rows);
  const std::int64_t step = std::ssize(map.row_names) <= named_rows && cell >= label_size ? 1 : tick_step(rows, 10);
  for (std::int64_t i = 0; i < rows; i += step) {
    const double y = place.y + (static_cast<double>(i) + 0.5) * cell;
    canvas.line(place.x - tick, y, place.x - 1, y);
    canvas.text(place.x - tick - 3, y, map.row_names[static_cast<std::size_t>(i)], label_size, Anchor::right);
  }
  canvas.upright_text(place.x - left_of(canvas, map) + 10, place.y + place.height / 2, map.row_words(), label_size,
                      Anchor::centre);
}

void draw_column_axis(Canvas& canvas, const Heatmap& map, const Place& place) {
  const double cell = place.width / static_cast<double>(map.columns), bottom = place.y + place.height;
  const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(place.width / 45));
  const std::int64_t step = tick_step(map.columns, most);
  for (std::int64_t j = 0; j < map.columns; j += step) {
    const double x = place.x + (static_cast<double>(j) + 0.5) * cell;
    canvas.line(x, bottom + 1, x, bottom + tick);
    const std::string name = map.column_names.empty() ? fmt::format("{}", j * map.across.stride)
                                                      : map.column_names[static_cast<std::size_t>(j)];
    canvas.text(x, bottom + tick + 8, name, label_size, Anchor::centre);
  }
  canvas.text(place.x + place.width / 2, bottom + tick + 23, map.column_words(), label_size, Anchor::centre);
}

void draw_map(Canvas& canvas, const Heatmap& map, const Place& place, double limit) {
  std::vector<Colour> colours;
  colours.reserve(map.values.size());
  for (const float value : map.values) colours.push_back(colour_of(static_cast<double>(value) / limit));
  canvas.text(place.x, place.y - 11, map.title, heading_size, Anchor::left);
  canvas.cells(place.x, place.y, place.width, place.height, colours, map.columns);
  canvas.frame(place.x, place.y, place.width, place.height);
  if (map.axes == MapAxes::bare) return;
  draw_row_axis(canvas, map, place);
  draw_column_axis(canvas, map, place);
}

void draw_links(Canvas& canvas, const Band& band, std::span<const Place> places) {
  if (places.size() < 2) return;
  const auto middle = [&](std::size_t k, std::int64_t row) {
    const double cell = places[k].height / static_cast<double>(band.maps[k].row_names.size());
    return places[k].y + (static_cast<double>(row) + 0.5) * cell;
  };
  const double right = places[1].x - left_of(canvas, band.maps[1]);
  for (const auto& [from, to] : band.equal) {
    canvas.line(places[0].x + places[0].width + 3, middle(0, from), right, middle(1, to), ink, 1.6);
  }
}

void draw_legend(Canvas& canvas, double x, double y, const Scale& scale, const std::string& what) {
  constexpr std::int64_t steps = 90;
  std::vector<Colour> colours;
  for (std::int64_t i = 0; i < steps; ++i) colours.push_back(colour_of(1 - 2 * static_cast<double>(i) / (steps - 1)));
  canvas.text(x, y - 14, what, label_size, Anchor::left);
  canvas.cells(x, y, legend_bar, legend_height, colours, 1);
  canvas.frame(x, y, legend_bar, legend_height);
  for (const double value : scale.range.ticks) {
    const double at = y + legend_height * (1 - scale.range.share(value));
    const bool ends = value == scale.range.ticks.front() || value == scale.range.ticks.back();
    const std::string beyond = !scale.exceeded || !ends ? "" : value > 0 ? "≥ " : "≤ ";
    canvas.line(x + legend_bar + 1, at, x + legend_bar + tick, at);
    canvas.text(x + legend_bar + tick + 3, at, beyond + tick_name(value), label_size, Anchor::left);
  }
}

std::string describe(const Picture& picture, const Scale& scale) {
  std::string text = picture.title;
  for (const Band& band : picture.bands) {
    if (!band.title.empty()) text += ". " + band.title;
    for (const Heatmap& map : band.maps) {
      if (map.axes == MapAxes::bare && &map != band.maps.data()) {
        text += ", " + map.title;
        continue;
      }
      text += fmt::format(". {}{} rows ({}), {} columns ({})", map.title.empty() ? "" : map.title + ": ",
                          map.row_names.size(), map.down.name.empty() ? "row" : map.row_words(), map.columns,
                          map.column_words());
    }
    if (!band.caption.empty()) text += ". " + band.caption;
  }
  return text + fmt::format(". Colours from {} (blue) over 0 (white) to {} (orange)", tick_name(scale.range.low),
                            tick_name(scale.range.high));
}

}  // namespace

Colour colour_of(double share) {
  constexpr std::array<Colour, 7> points = {{{0.02, 0.13, 0.36},
                                             {0.13, 0.40, 0.70},
                                             {0.56, 0.77, 0.91},
                                             {0.98, 0.98, 0.97},
                                             {0.99, 0.77, 0.46},
                                             {0.88, 0.45, 0.07},
                                             {0.45, 0.19, 0.01}}};
  const double at = std::clamp((share + 1) / 2, 0.0, 1.0) * (points.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), points.size() - 2);
  const double t = at - static_cast<double>(below);
  const Colour &a = points[below], &b = points[below + 1];
  return {a.red + t * (b.red - a.red), a.green + t * (b.green - a.green), a.blue + t * (b.blue - a.blue)};
}

Sample sample(std::int64_t size, std::int64_t most) {
  const std::int64_t stride = std::max<std::int64_t>(1, (size - 1) / most + 1);
  return {size == 0 ? 0 : (size - 1) / stride + 1, stride};
}

std::string words(const MapSide& side, CellValue value) {
  if (side.stride == 1) return side.name;
  if (value == CellValue::largest) return fmt::format("{}, the largest of {} {}", side.name, side.stride, side.unit);
  if (side.used == side.stride) return fmt::format("{}, means of {} {}", side.name, side.stride, side.unit);
  if (side.used == 1) return fmt::format("{}, one of {} {}", side.name, side.stride, side.unit);
  return fmt::format("{}, means of {} in every {} {}", side.name, side.used, side.stride, side.unit);
}

namespace {

// Sums of rows, and their means column block by column block.
class RowMeans {
 public:
  explicit RowMeans(std::int64_t columns) : sums_(static_cast<std::size_t>(columns)) {}
  void add(std::span<const float> row) {
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += static_cast<double>(row[j]);
    ++rows_;
  }
  void append_to(std::vector<float>& values, std::int64_t stride) {
    const auto step = static_cast<std::size_t>(stride);
    for (std::size_t first = 0; first < sums_.size(); first += step) {
      const std::size_t end = std::min(first + step, sums_.size());
      double sum = 0;
      for (std::size_t j = first; j < end; ++j) sum += sums_[j];
      values.push_back(static_cast<float>(sum / static_cast<double>(rows_) / static_cast<double>(end - first)));
    }
    std::ranges::fill(sums_, 0);
    rows_ = 0;
  }

 private:
  std::vector<double> sums_;
  std::int64_t rows_ = 0;
};

// Returns the number of rows that one mean is made of, so that a picture reads about most_values. A row that is written
// alone costs 0.4 us beside its values, as much as 32 of them.
std::int64_t averaged_rows(const Sample& kept, std::int64_t columns) {
  constexpr std::int64_t most_values = std::int64_t{1} << 26, fewest = 8, narrowest = 32;
  const std::int64_t values = std::max<std::int64_t>(1, kept.count) * std::max(narrowest, columns);
  return std::min(kept.stride, std::max(fewest, most_values / values));
}

}  // namespace

Heatmap heatmap(std::string title, const MapRows& rows, std::int64_t columns) {
  const Sample kept = sample(rows.count, most_rows), across = sample(columns, most_columns);
  const std::int64_t averaged = averaged_rows(kept, columns);
  Heatmap map = {.title = std::move(title),
                 .down = {rows.axis, "rows", kept.stride, averaged},
                 .row_names = {},
                 .columns = across.count,
                 .values = {},
                 .across = {"column", "columns", across.stride, across.stride}};
  std::vector<float> block(static_cast<std::size_t>(averaged * columns));
  RowMeans means(columns);
  for (std::int64_t r = 0; r < kept.count; ++r) {
    const std::int64_t first = r * kept.stride, size = std::min(kept.stride, rows.count - first);
    const std::int64_t made = std::min(averaged, size);
    if (made == size) {
      rows.write(first, view(block.data(), {made, columns}));
    } else {
      for (std::int64_t i = 0; i < made; ++i) {
        rows.write(first + i * size / made, view(block.data() + i * columns, {1, columns}));
      }
    }
    for (std::int64_t i = 0; i < made; ++i) {
      means.add(std::span(block).subspan(static_cast<std::size_t>(i * columns), static_cast<std::size_t>(columns)));
    }
    means.append_to(map.values, across.stride);
    map.row_names.push_back(rows.name(first));
  }
  return map;
}

Heatmap smaller(const Heatmap& map, std::int64_t rows, std::int64_t columns) {
  const std::int64_t height = std::ssize(map.row_names);
  const Sample down = sample(height, rows), across = sample(map.columns, columns);
  const bool largest = map.shows == CellValue::largest;
  const auto reduced = [](const MapSide& side, std::int64_t by) {
    return MapSide{side.name, side.unit, side.stride * by, side.used * by};
  };
  Heatmap made = map;
  made.down = reduced(map.down, down.stride);
  made.across = reduced(map.across, across.stride);
  made.columns = across.count;
  made.row_names.clear(), made.column_names.clear();
  const auto cells = static_cast<std::size_t>(down.count * across.count);
  std::vector<double> values(cells, largest ? -std::numeric_limits<double>::infinity() : 0), counts(cells);
  for (std::int64_t r = 0; r < height; ++r) {
    if (r % down.stride == 0) made.row_names.push_back(map.row_names[static_cast<std::size_t>(r)]);
    for (std::int64_t j = 0; j < map.columns; ++j) {
      const auto cell = static_cast<std::size_t>(r / down.stride * across.count + j / across.stride);
      const auto value = static_cast<double>(map.values[static_cast<std::size_t>(r * map.columns + j)]);
      values[cell] = largest ? std::max(values[cell], value) : values[cell] + value;
      ++counts[cell];
    }
  }
  made.values.clear();
  for (std::size_t i = 0; i < cells; ++i) {
    made.values.push_back(static_cast<float>(largest ? values[i] : values[i] / counts[i]));
  }
  return made;
}

std::string draw(const Picture& picture, PictureFormat format) {
  if (format == PictureFormat::terminal) return terminal_picture(picture);
  Canvas ruler(PictureFormat::png, 1, 1);
  const Layout layout = lay_out(ruler, picture);
  const Scale scale = scale_of(picture);
  Canvas canvas(format, layout.width, layout.height);
  canvas.text(margin, margin + title_size / 2, picture.title, title_size, Anchor::left);
  for (std::size_t b = 0; b < picture.bands.size(); ++b) {
    const Band& band = picture.bands[b];
    const std::vector<Place>& places = layout.places[b];
    for (std::size_t k = 0; k < places.size(); ++k) draw_map(canvas, band.maps[k], places[k], scale.range.high);
    draw_links(canvas, band, places);
    const Place& first = places.front();
    canvas.text(margin, first.y - heading_height - 10, band.title, heading_size, Anchor::left);
    canvas.text(first.x, first.y + first.height + foot_of(band) + 8, band.caption, heading_size, Anchor::left, faint);
  }
  draw_legend(canvas, layout.width - legend_width + 22, margin + title_size + 10 + heading_height, scale,
              picture.legend);
  return canvas.bytes(describe(picture, scale));
}

}  // namespace posenc::tool
