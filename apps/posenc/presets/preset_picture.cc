// SPDX-License-Identifier: Apache-2.0
// Periods of pairs, and similarities along each axis.
#include "apps/posenc/presets/preset_picture.h"

#include <fmt/format.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <cmath>

#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/picture/chart.h"
#include "apps/posenc/presets/measure.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr double whole_turn = 6.283185307179586;  // 2 pi

// One convention of a call, with what the call says of it.
struct Drawn {
  Arguments arguments;
  const Choice& choice;

  bool gives(ConventionUse use) const { return !check_use(arguments.operation, use, choice.convention); }
  std::int64_t dim() const { return read_dim(arguments, choice); }
  Context context() const { return read_context(arguments); }
};

// What a position counts.
std::string unit_of(const Convention& convention) {
  const std::vector<std::string> axes = axes_of(convention);
  if (axes.size() > 1) return "cells";
  return axes[0] == "position" ? "tokens" : axes[0] + "s";
}

// In radians per position; none where a pair has several.
std::vector<double> frequencies_of(const Drawn& drawn, const Convention& convention) {
  if (drawn.gives(ConventionUse::rows)) {
    return Rows(convention, drawn.dim(), {.recipe = drawn.choice.recipe, .context = drawn.context()}).frequencies();
  }
  if (!drawn.gives(ConventionUse::rotations)) return {};
  const Convention kept = with_field(convention, "stored", "angles_twice");
  if (RotaryCache::check(kept, drawn.dim(), {.recipe = drawn.choice.recipe, .context = drawn.context()})) return {};
  return RotaryCache(kept, drawn.dim(), {.recipe = drawn.choice.recipe, .context = drawn.context()}).frequencies();
}

Curve periods(const std::string& name, const std::vector<double>& frequencies, Stroke stroke) {
  Curve curve{name, {}, stroke};
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    curve.points.push_back({static_cast<double>(k), whole_turn / std::fabs(frequencies[k])});
  }
  return curve;
}

void add_ladders(const Drawn& drawn, std::vector<Curve>& curves) {
  const std::vector<double> own = frequencies_of(drawn, drawn.choice.convention);
  if (own.empty()) return;
  curves.push_back(periods(drawn.choice.name, own, Stroke::solid));
  const FieldChange plain[] = {{"ladder.scaling", "none"}};
  if (check_changes(drawn.choice.convention, plain)) return;
  const std::vector<double> unscaled = frequencies_of(drawn, with_fields(drawn.choice.convention, plain));
  if (unscaled != own) curves.push_back(periods(drawn.choice.name + " without scaling", unscaled, Stroke::dashed));
}

// Rows of places at those distances along an axis from the origin.
class Along {
 public:
  Along(const Positions& distances, std::size_t axis, std::size_t axes) : zeros_(distances.count_, 0) {
    lists_.assign(axes, Positions::list(view(zeros_.data(), {distances.count_})));
    lists_[axis] = distances;
  }
  std::span<const Positions> lists() const { return lists_; }

 private:
  std::vector<std::int64_t> zeros_;
  std::vector<Positions> lists_;
};

double product(const float* a, const float* b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t c = 0; c < count; ++c) sum += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  return sum;
}

// The cosine of the angle between the row of a place and that of the origin.
std::vector<double> row_similarity(const Drawn& drawn, const Positions& distances, std::size_t axis) {
  const Rows rows(drawn.choice.convention, drawn.dim(), {.recipe = drawn.choice.recipe, .context = drawn.context()});
  const Along places(distances, axis, rows.axes().size()), origin(Positions::at(0), axis, rows.axes().size());
  const std::int64_t width = rows.width();
  std::vector<float> all(static_cast<std::size_t>(distances.count_ * width)), zero(static_cast<std::size_t>(width));
  rows.write(places.lists(), view(all.data(), {distances.count_, width}));
  rows.write(origin.lists(), view(zero.data(), {1, width}));
  std::vector<double> similar;
  for (std::int64_t i = 0; i < distances.count_; ++i) {
    const float* row = all.data() + i * width;
    const double lengths = product(row, row, width) * product(zero.data(), zero.data(), width);
    similar.push_back(product(row, zero.data(), width) / std::sqrt(lengths));
  }
  return similar;
}

// The score of a query of ones there and a key of ones at the origin, over its size without rotation.
std::vector<double> score_similarity(const Drawn& drawn, const Positions& distances, std::size_t axis) {
  const std::int64_t head = drawn.dim();
  const RotaryRows rows(drawn.choice.convention, head, {.recipe = drawn.choice.recipe, .context = drawn.context()});
  const Along places(distances, axis, rows.axes().size()), origin(Positions::at(0), axis, rows.axes().size());
  std::vector<float> queries(static_cast<std::size_t>(distances.count_ * head), 1),
      key(static_cast<std::size_t>(head), 1);
  const Rotated both[] = {Rotated(view(queries.data(), {distances.count_, head}), RotatedSide::query)};
  const Rotated one[] = {Rotated(view(key.data(), {1, head}), RotatedSide::key)};
  rows.rotate(places.lists(), both);
  rows.rotate(origin.lists(), one);
  std::vector<double> similar;
  for (std::int64_t i = 0; i < distances.count_; ++i) {
    similar.push_back(product(queries.data() + i * head, key.data(), head) / static_cast<double>(head));
  }
  return similar;
}

// --positions where it is one list without names, else the usual one.
ParsedPositions distances_of(const Arguments& arguments) {
  const std::string words = arguments.find("--positions").value_or("=");
  return parse_positions(arguments.operation, "--positions", words.find('=') == words.npos ? words : "0:512");
}

void add_similarities(const Drawn& drawn, std::vector<Curve>& curves) {
  const std::vector<std::string> axes = axes_of(drawn.choice.convention);
  const ParsedPositions distances = distances_of(drawn.arguments);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::vector<double> similar = drawn.gives(ConventionUse::rotations)
                                            ? score_similarity(drawn, distances.positions, axis)
                                            : row_similarity(drawn, distances.positions, axis);
    Curve curve{axes.size() == 1 ? drawn.choice.name : fmt::format("{} along {}", drawn.choice.name, axes[axis]), {}};
    for (std::int64_t i = 0; i < std::ssize(similar); ++i) {
      curve.points.push_back({number(distances.positions, i), similar[static_cast<std::size_t>(i)]});
    }
    curves.push_back(std::move(curve));
  }
}

}  // namespace

std::string preset_picture(const Arguments& arguments, std::span<const Choice> choices, PictureFormat format) {
  Chart ladder = {"ladder", "pair k", "", AxisScale::logarithmic, {}};
  Chart similarity = {"similarity", "", "", AxisScale::linear, {}};
  std::string title;
  for (const Choice& choice : choices) {
    const Drawn drawn = {completed(arguments, choice.convention), choice};
    if (!drawn.gives(ConventionUse::coordinates) && !drawn.gives(ConventionUse::rotations)) {
      refuse(arguments.operation, "--plot must come with rows or rotations; posenc bias --plot draws others",
             quote(choice.name));
    }
    title += fmt::format("{}{}, width {}", title.empty() ? "" : "; ", choice.name, drawn.dim());
    similarity.y_axis = drawn.gives(ConventionUse::rotations)
                            ? "score of a query and a key of ones, 1 where nothing turns"
                            : "cosine of the angle to the row of the origin";
    ladder.y_axis = fmt::format("period in {}", unit_of(choice.convention));
    similarity.x_axis = fmt::format("distance in {}", unit_of(choice.convention));
    add_ladders(drawn, ladder.curves);
    add_similarities(drawn, similarity.curves);
  }
  std::vector<Chart> charts = {similarity};
  if (!ladder.curves.empty()) charts.insert(charts.begin(), ladder);
  return draw(title, charts, format);
}

}  // namespace posenc::tool
