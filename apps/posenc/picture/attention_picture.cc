// SPDX-License-Identifier: Apache-2.0
// Pictures of attention: where maps, names and numbers stand. Lengths are in points.
#include "apps/posenc/picture/attention_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/posenc/picture/chart_axes.h"
#include "apps/posenc/picture/lengths.h"
#include "apps/posenc/picture/picture.h"

namespace posenc::tool {
namespace {

constexpr double number_size = 9.5;
constexpr double caption_line_height = 17, axis_words_height = 20, column_gap = 30;
constexpr double weight_legend_width = 90, weight_legend_height = 150;
constexpr double largest_cell = 40, numbered_cell = 28;
// An outline leaves the inner half of the smallest cell that has one to the colour of its weight.
constexpr double outlined_cell = 8, outline = 2;
constexpr Colour outline_colour = {0.1, 0.35, 0.75};  // far from the colours of weights, which go from white to brown
constexpr double longest_name = 110;                  // what is longer is cut

std::int64_t maps_across(std::int64_t maps) { return maps <= 2 ? maps : maps <= 4 ? 2 : 4; }

std::string cut(Canvas& ruler, std::string name) {
  if (ruler.width_of(name, label_size) <= longest_name) return name;
  while (!name.empty() && ruler.width_of(name + "…", label_size) > longest_name) {
    std::size_t end = name.size() - 1;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;
    name.resize(end);
  }
  return name + "…";
}

// 1, 2 or 5 times a power of ten: names so many cells apart do not touch.
std::int64_t name_step(double cell) {
  for (std::int64_t power = 1;; power *= 10) {
    for (const std::int64_t factor : {1, 2, 5}) {
      if (static_cast<double>(factor * power) * cell >= label_size + 1) return factor * power;
    }
  }
}

// The names along one side of a map.
struct Side {
  double cell;
  std::int64_t step;
  std::vector<std::string> names;  // every step-th one, cut
  double widest = 0;

  bool flat() const { return widest + 4 <= static_cast<double>(step) * cell; }  // they fit beside each other
};

Side side_of(Canvas& ruler, std::span<const std::string> names, double room) {
  const double cell = std::clamp(std::floor(room / static_cast<double>(names.size())), 1.0, largest_cell);
  Side side{cell, name_step(cell), {}};
  for (std::size_t i = 0; i < names.size(); i += static_cast<std::size_t>(side.step)) {
    side.names.push_back(cut(ruler, names[i]));
    side.widest = std::max(side.widest, ruler.width_of(side.names.back(), label_size));
  }
  return side;
}

struct AttentionPlace {
  double x, y;  // of the first cell
  Side rows, columns;

  double width(const AttentionMap& map) const { return columns.cell * static_cast<double>(map.column_names.size()); }
  double height(const AttentionMap& map) const { return rows.cell * static_cast<double>(map.row_names.size()); }
  double left() const { return rows.widest + tick + 3 + axis_words_height; }
  double below() const { return tick + 3 + (columns.flat() ? label_size : columns.widest) + axis_words_height; }
};

std::string axis_words(const std::string& axis, std::int64_t stride) {
  return words({axis, "tokens", stride, stride}, CellValue::largest);
}

struct AttentionLayout {
  double width, height, captions, legend;
  std::vector<AttentionPlace> places;
};

// Maps on a grid whose columns are as wide as the widest map, and its rows as high as the highest.
AttentionLayout lay_out(Canvas& ruler, const AttentionPicture& picture) {
  const std::int64_t count = std::ssize(picture.maps), across = maps_across(count);
  const auto room = static_cast<double>(most_cells(count));
  AttentionLayout layout{};
  double left = 0, width = 0, height = 0, below = 0;
  for (const AttentionMap& map : picture.maps) {
    const AttentionPlace& place = layout.places.emplace_back(
        AttentionPlace{0, 0, side_of(ruler, map.row_names, room), side_of(ruler, map.column_names, room)});
    left = std::max(left, place.left());
    width = std::max({width, place.width(map), ruler.width_of(map.title, heading_size)});
    height = std::max(height, place.height(map));
    below = std::max(below, place.below());
  }
  const double top = margin + title_size + 10;
  const auto line = [&](std::int64_t i) { return static_cast<double>(i / across); };
  for (std::int64_t i = 0; i < count; ++i) {
    AttentionPlace& place = layout.places[static_cast<std::size_t>(i)];
    place.x = std::round(margin + left + static_cast<double>(i % across) * (left + width + column_gap));
    place.y = std::round(top + heading_height + line(i) * (heading_height + height + below));
  }
  layout.captions = top + (line(count - 1) + 1) * (heading_height + height + below) + 6;
  layout.legend = margin + static_cast<double>(across) * (left + width + column_gap) - column_gap / 2;
  double words = ruler.width_of(picture.title, title_size);
  for (const std::string& caption : picture.captions) words = std::max(words, ruler.width_of(caption, label_size));
  layout.width = std::max(layout.legend + weight_legend_width, 2 * margin + words);
  layout.height = std::max(layout.captions, top + heading_height + weight_legend_height + 20) +
                  caption_line_height * static_cast<double>(picture.captions.size()) + margin / 2;
  return layout;
}

void draw_names(Canvas& canvas, const AttentionPicture& picture, const AttentionMap& map, const AttentionPlace& place) {
  const double bottom = place.y + place.height(map);
  for (std::size_t i = 0; i < place.rows.names.size(); ++i) {
    const double y = place.y + (static_cast<double>(i) * static_cast<double>(place.rows.step) + 0.5) * place.rows.cell;
    canvas.line(place.x - tick, y, place.x - 1, y);
    canvas.text(place.x - tick - 3, y, place.rows.names[i], label_size, Anchor::right);
  }
  const Side& columns = place.columns;
  for (std::size_t j = 0; j < columns.names.size(); ++j) {
    const double x = place.x + (static_cast<double>(j) * static_cast<double>(columns.step) + 0.5) * columns.cell;
    canvas.line(x, bottom + 1, x, bottom + tick);
    if (columns.flat()) {
      canvas.text(x, bottom + tick + 3 + label_size / 2, columns.names[j], label_size, Anchor::centre);
    } else {
      canvas.upright_text(x, bottom + tick + 3, columns.names[j], label_size, Anchor::right);
    }
  }
  canvas.upright_text(place.x - place.left() + label_size / 2, place.y + place.height(map) / 2,
                      axis_words(picture.row_axis, map.row_stride), label_size, Anchor::centre);
  canvas.text(place.x + place.width(map) / 2, bottom + place.below() - axis_words_height + 12,
              axis_words(picture.column_axis, map.column_stride), label_size, Anchor::centre);
}

void draw_outlines(Canvas& canvas, const AttentionMap& map, const AttentionPlace& place) {
  for (const std::size_t k : map.marked) {
    const double row = static_cast<double>(k / map.column_names.size());
    const double column = static_cast<double>(k % map.column_names.size());
    canvas.frame(place.x + column * place.columns.cell + outline, place.y + row * place.rows.cell + outline,
                 place.columns.cell - 2 * outline, place.rows.cell - 2 * outline, outline_colour, outline);
  }
}

void draw_map(Canvas& canvas, const AttentionPicture& picture, const AttentionMap& map, const AttentionPlace& place,
              double most) {
  const std::size_t columns = map.column_names.size();
  std::vector<Colour> colours;
  for (const float weight : map.weights) colours.push_back(colour_of(static_cast<double>(weight) / most));
  canvas.text(place.x, place.y - 11, map.title, heading_size, Anchor::left);
  canvas.cells(place.x, place.y, place.width(map), place.height(map), colours, std::ssize(map.column_names));
  canvas.frame(place.x, place.y, place.width(map), place.height(map));
  draw_names(canvas, picture, map, place);
  const double cell = std::min(place.rows.cell, place.columns.cell);
  if (cell >= outlined_cell) draw_outlines(canvas, map, place);
  if (cell < numbered_cell) return;
  for (std::size_t k = 0; k < map.weights.size(); ++k) {
    const auto weight = static_cast<double>(map.weights[k]);
    canvas.text(place.x + (static_cast<double>(k % columns) + 0.5) * place.columns.cell,
                place.y + (static_cast<double>(k / columns) + 0.5) * place.rows.cell, fmt::format("{:.2f}", weight),
                number_size, Anchor::centre, weight > 0.55 * most ? Colour{1, 1, 1} : ink);
  }
}

void draw_legend(Canvas& canvas, double x, double y, const Range& range) {
  constexpr std::int64_t steps = 75;
  std::vector<Colour> colours;
  for (std::int64_t i = 0; i < steps; ++i) colours.push_back(colour_of(1 - static_cast<double>(i) / (steps - 1)));
  canvas.text(x, y - 14, "weight", label_size, Anchor::left);
  canvas.cells(x, y, legend_bar, weight_legend_height, colours, 1);
  canvas.frame(x, y, legend_bar, weight_legend_height);
  for (const double value : range.ticks) {
    const double at = y + weight_legend_height * (1 - range.share(value));
    canvas.line(x + legend_bar + 1, at, x + legend_bar + tick, at);
    canvas.text(x + legend_bar + tick + 3, at, tick_name(value), label_size, Anchor::left);
  }
}

std::string describe(const AttentionPicture& picture, double most) {
  std::string text = picture.title;
  for (const AttentionMap& map : picture.maps) {
    text += fmt::format(". {}: {} rows ({}), {} columns ({})", map.title, map.row_names.size(),
                        axis_words(picture.row_axis, map.row_stride), map.column_names.size(),
                        axis_words(picture.column_axis, map.column_stride));
  }
  for (const std::string& caption : picture.captions) text += ". " + caption;
  return text + fmt::format(". Colours from 0 (white) to {:.3g} (brown)", most);
}

}  // namespace

std::int64_t most_cells(std::int64_t maps) { return maps == 1 ? 560 : maps <= 4 ? 360 : 240; }

AttentionMap attention_map(std::string title, std::span<const std::string> row_names,
                           std::span<const std::string> column_names, std::int64_t most,
                           const std::function<void(std::int64_t, std::span<float>)>& write) {
  const Sample rows = sample(std::ssize(row_names), most), columns = sample(std::ssize(column_names), most);
  AttentionMap map{std::move(title), {}, {}, rows.stride, columns.stride, {}};
  const auto kept = [](std::span<const std::string> names, const Sample& cells) {
    std::vector<std::string> result;
    for (std::int64_t i = 0; i < cells.count; ++i) result.push_back(names[static_cast<std::size_t>(i * cells.stride)]);
    return result;
  };
  map.row_names = kept(row_names, rows);
  map.column_names = kept(column_names, columns);
  map.weights.resize(static_cast<std::size_t>(rows.count * columns.count));
  std::vector<float> row(column_names.size());
  for (std::int64_t i = 0; i < std::ssize(row_names); ++i) {
    write(i, row);
    float* cells = map.weights.data() + i / rows.stride * columns.count;
    for (std::int64_t j = 0; j < std::ssize(row); ++j) {
      float& cell = cells[j / columns.stride];
      cell = std::max(cell, row[static_cast<std::size_t>(j)]);
    }
  }
  return map;
}

namespace {

// The same as maps of a table: weights are its values.
Picture plain_picture(const AttentionPicture& picture) {
  Picture plain{picture.title, {}, "weight"};
  for (const AttentionMap& map : picture.maps) {
    plain.bands.push_back({"",
                           {{.title = map.title,
                             .down = {picture.row_axis, "tokens", map.row_stride, map.row_stride},
                             .row_names = map.row_names,
                             .columns = std::ssize(map.column_names),
                             .values = map.weights,
                             .across = {picture.column_axis, "tokens", map.column_stride, map.column_stride},
                             .shows = CellValue::largest}}});
  }
  return plain;
}

}  // namespace

std::string draw(const AttentionPicture& picture, PictureFormat format) {
  if (format == PictureFormat::terminal) return draw(plain_picture(picture), format);
  Canvas ruler(PictureFormat::png, 1, 1);
  const AttentionLayout layout = lay_out(ruler, picture);
  float most = 0;
  for (const AttentionMap& map : picture.maps) {
    for (const float weight : map.weights) most = std::max(most, weight);
  }
  const Range scale = colour_range(0, most > 0 ? static_cast<double>(most) : 1);
  Canvas canvas(format, layout.width, layout.height);
  canvas.text(margin, margin + title_size / 2, picture.title, title_size, Anchor::left);
  for (std::size_t i = 0; i < picture.maps.size(); ++i) {
    draw_map(canvas, picture, picture.maps[i], layout.places[i], scale.high);
  }
  double y = layout.height - margin / 2 - caption_line_height * static_cast<double>(picture.captions.size());
  for (const std::string& caption : picture.captions) {
    canvas.text(margin, y + caption_line_height / 2, caption, label_size, Anchor::left, faint);
    y += caption_line_height;
  }
  draw_legend(canvas, layout.legend, layout.places[0].y, scale);
  return canvas.bytes(describe(picture, scale.high));
}

}  // namespace posenc::tool
