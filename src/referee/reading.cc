// SPDX-License-Identifier: Apache-2.0
// Which readings a shape admits.
#include "src/referee/reading.h"

#include <algorithm>
#include <cmath>

namespace posenc::referee {
namespace {

constexpr std::string_view place_names[] = {"", "L", "H, W", "T, H, W"};

// The tensor without its axes of size 1, but for the first and the last where nothing else is left.
ConstView squeezed(const ConstView& tensor) {
  ConstView view = tensor;
  for (int axis = view.rank - 1; axis >= 0 && view.rank > 2; --axis) {
    if (view.size(axis) == 1) view = without_axis(view, axis);
  }
  return view;
}

Reading columns_last(const ConstView& view, int columns_axes) {
  Reading reading = {.tensor = view, .name = {}, .extents = {}, .steps = {}};
  const int places = view.rank - columns_axes;
  for (int axis = 0; axis < places; ++axis) {
    reading.extents.push_back(view.size(axis));
    reading.steps.push_back(view.stride(axis));
  }
  reading.inner = columns_axes == 2 ? view.size(-1) : 1;
  reading.inner_step = view.stride(-1);
  reading.outer_step = view.stride(columns_axes == 2 ? -2 : -1);
  reading.width = view.size(-1) * (columns_axes == 2 ? view.size(-2) : 1);
  reading.name = "[" + std::string(place_names[places]) + (columns_axes == 2 ? ", d / 2, 2]" : ", d]");
  return reading;
}

Reading columns_first(const ConstView& view) {
  Reading reading = {.tensor = view, .name = {}, .extents = {}, .steps = {}};
  for (int axis = 1; axis < view.rank; ++axis) {
    reading.extents.push_back(view.size(axis));
    reading.steps.push_back(view.stride(axis));
  }
  reading.inner = 1;
  reading.outer_step = view.stride(0);
  reading.width = view.size(0);
  reading.name = "[d, " + std::string(place_names[view.rank - 1]) + "]";
  return reading;
}

// Cosines and sines of the same places, one after the other along an axis of 2 in front of the places or behind them.
void add_stacked(const ConstView& view, std::vector<Reading>& plain) {
  const int places = view.rank - 2;
  if (places < 1) return;
  for (const int axis : {0, places}) {
    if (view.size(axis) != 2) continue;
    Reading reading = columns_last(without_axis(view, axis), 1);
    reading.tensor = view;
    reading.name = axis == 0 ? "[2, " + reading.name.substr(1) : reading.name.insert(reading.name.size() - 2, "2, ");
    reading.inner = view.size(-1), reading.outer_step = view.stride(axis);
    reading.width = 2 * view.size(-1);
    plain.push_back(std::move(reading));
  }
}

bool zero_row(const Reading& reading, std::int64_t place) {
  for (std::int64_t c = 0; c < reading.width; ++c) {
    if (reading.at(place, c) != 0) return false;
  }
  return true;
}

// The last row of zeros among the first few, behind others: that of a padding id. 0: there is none.
std::int64_t padding_row(const Reading& reading, std::int64_t zeros) {
  constexpr std::int64_t few = 8;
  std::int64_t found = 0;
  for (std::int64_t place = zeros + 1; place < std::min(zeros + few, reading.extents[0] - 1); ++place) {
    if (zero_row(reading, place)) found = place;
  }
  return found;
}

// Behind `extra` rows of a flat reading.
Reading behind(Reading flat, std::int64_t extra) {
  flat.offset += extra * flat.steps[0];
  flat.extents[0] -= extra;
  flat.extra += extra;
  return flat;
}

Reading as_grid(const Reading& flat, std::vector<std::int64_t> extents, std::string_view name) {
  Reading grid = flat;
  grid.steps.assign(extents.size(), flat.steps[0]);
  for (std::size_t a = extents.size() - 1; a-- > 0;) grid.steps[a] = grid.steps[a + 1] * extents[a + 1];
  grid.extents = std::move(extents);
  grid.name.replace(grid.name.find('L'), 1, name);
  return grid;
}

// Tests t(i, j) + t(0, 0) = t(i, 0) + t(0, j) along every two axes, at the last places and in the middle.
bool separable_column(const Reading& grid, std::int64_t c, const std::vector<std::int64_t>& strides, double noise) {
  const double origin = grid.at(0, c);
  for (std::size_t a = 0; a < strides.size(); ++a) {
    for (std::size_t b = a + 1; b < strides.size(); ++b) {
      for (const std::int64_t part : {1, 2}) {
        const std::int64_t i = std::max<std::int64_t>((grid.extents[a] - 1) / part, 1) * strides[a];
        const std::int64_t j = std::max<std::int64_t>((grid.extents[b] - 1) / part, 1) * strides[b];
        const double at_i = grid.at(i, c), at_j = grid.at(j, c), at_both = grid.at(i + j, c);
        const double largest = std::max({std::abs(origin), std::abs(at_i), std::abs(at_j), std::abs(at_both)});
        if (!(std::abs(at_both + origin - at_i - at_j) <= 4 * noise * largest)) return false;
      }
    }
  }
  return true;
}

// Tests whether the columns are functions of one axis or sums over axes, as in most grids; waves of a sum of angles are
// not, except the slowest. One column in 16 may fail, since this test is tighter than the tolerance of an entry.
bool separable(const Reading& grid, double noise) {
  const std::size_t axes = grid.extents.size();
  std::vector<std::int64_t> strides(axes, 1);
  for (std::size_t a = axes - 1; a-- > 0;) strides[a] = strides[a + 1] * grid.extents[a + 1];
  constexpr std::int64_t one_in = 16;
  std::int64_t others = 0;
  for (std::int64_t c = 0; c < grid.width; ++c) {
    if (!separable_column(grid, c, strides, noise) && ++others > std::max<std::int64_t>(grid.width / one_in, 1))
      return false;
  }
  return true;
}

// The flat rows of a grid of two axes or three, behind extra ones; the most even sizes first. `most`: of those that are
// not separable.
void add_factored(const Reading& flat, double noise, std::size_t most, std::vector<Reading>& all) {
  const std::int64_t places = flat.extents[0];
  std::vector<std::vector<std::int64_t>> flats, solids;
  for (std::int64_t a = 2; 2 * a <= places; ++a) {
    if (places % a != 0) continue;
    flats.push_back({a, places / a});
    for (std::int64_t b = 2; 2 * a * b <= places; ++b) {
      if (places / a % b == 0) solids.push_back({a, b, places / a / b});
    }
  }
  const auto uneven = [](const std::vector<std::int64_t>& sizes) {
    return std::ranges::max(sizes) - std::ranges::min(sizes);
  };
  for (auto* sizes : {&flats, &solids}) {
    std::ranges::stable_sort(*sizes, {}, uneven);
    std::size_t count = 0;
    for (auto& each : *sizes) {
      Reading grid = as_grid(flat, each, sizes == &flats ? "H W" : "T H W");
      grid.separable = separable(grid, noise);
      if (grid.separable || count++ < most) all.push_back(std::move(grid));
    }
  }
}

// Matrices [[cos, -sin], [sin, cos]], or those that turn the other way: the last two axes hold every number twice.
bool of_matrices(const ConstView& view) {
  if (view.rank < 4 || view.size(-1) != 2 || view.size(-2) != 2) return false;
  const std::int64_t down = view.stride(-2), right = view.stride(-1);
  for (std::int64_t i = 0; i < view.count() / 4; ++i) {
    std::int64_t at = 0, rest = i;
    for (int axis = view.rank - 3; axis >= 0; rest /= view.size(axis--))
      at += rest % view.size(axis) * view.stride(axis);
    if (real_at(view, at) != real_at(view, at + down + right)) return false;
    if (real_at(view, at + down) != -real_at(view, at + right)) return false;
  }
  return true;
}

// Their first columns are points (cosine, sine).
Reading of_first_columns(const ConstView& matrices) {
  Reading reading = columns_last(without_axis(matrices, matrices.rank - 1), 2);
  reading.name.insert(reading.name.size() - 1, ", 2");
  return reading;
}

// Layouts of whole tensors: rows of columns, columns of rows, points (cosine, sine), cosines over sines.
constexpr int most_extents = 3;
std::vector<Reading> plain_readings(const ConstView& view) {
  if (view.rank <= most_extents + 3 && of_matrices(view)) return {of_first_columns(view)};
  if (view.rank > most_extents + 2) return {};
  std::vector<Reading> plain;
  if (view.rank <= most_extents + 1) {
    plain.push_back(columns_last(view, 1));
    if (view.rank > 2 || view.size(1) > 1) plain.push_back(columns_first(view));  // one column is no row on its side
  }
  if (view.rank >= 3 && view.size(-1) == 2) plain.push_back(columns_last(view, 2));
  add_stacked(view, plain);
  return plain;
}

}  // namespace

std::vector<std::int64_t> spread(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> some;
  const std::int64_t few = std::min(count, most);
  for (std::int64_t i = 0; i < few; ++i) some.push_back(few == 1 ? 0 : i * (count - 1) / (few - 1));
  return some;
}

std::optional<ConstView> as_list(const ConstView& tensor) {
  ConstView list = tensor;
  for (int axis = list.rank - 1; axis >= 0 && list.rank > 1; --axis) {
    if (list.size(axis) == 1) list = without_axis(list, axis);
  }
  return list.rank == 1 && list.size(0) > 1 ? std::optional(list) : std::nullopt;
}

std::vector<Reading> readings(const ConstView& tensor, Grids grids, double noise) {
  const ConstView view = squeezed(tensor);
  std::vector<Reading> all;
  if (view.rank < 2 || view.count() == 0) return all;
  constexpr std::int64_t widest = std::int64_t{1} << 16;
  std::vector<Reading> plain = plain_readings(view);
  std::erase_if(plain, [](const Reading& reading) { return reading.width > widest; });
  for (Reading& reading : plain) {
    if (reading.extents.size() > 1) {
      all.push_back(reading);
      continue;
    }
    std::int64_t zeros = 0;
    while (zeros < reading.extents[0] && zero_row(reading, zeros)) ++zeros;
    if (zeros == reading.extents[0]) continue;
    all.push_back(behind(reading, zeros));
    if (zeros > 0) all.push_back(reading);
    if (const std::int64_t padding = padding_row(reading, zeros)) all.push_back(behind(reading, padding + 1));
  }
  if (grids == Grids::stated) return all;
  const std::size_t count = all.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].extents.size() != 1) continue;
    constexpr std::int64_t usual = 2, most = 8;
    for (std::int64_t extra = 0; extra <= most && extra < all[i].extents[0]; ++extra) {
      add_factored(behind(all[i], extra), noise, extra <= usual ? 8 : 0, all);
    }
  }
  return all;
}

bool rows_are_equal(const Reading& reading) {
  if (reading.extents.size() != 1 || reading.extents[0] < 2) return false;
  for (std::int64_t place = 1; place < reading.extents[0]; ++place) {
    for (std::int64_t c = 0; c < reading.width; ++c) {
      if (reading.at(place, c) != reading.at(0, c)) return false;
    }
  }
  return true;
}

std::optional<ConstView> without_rows(const Reading& reading, std::int64_t count) {
  ConstView rows = reading.tensor;
  if (rows.rank != 2 || reading.name != "[L, d]" || reading.extra > 0 || rows.size(0) <= count) return std::nullopt;
  rows.data = static_cast<const std::byte*>(rows.data) +
              count * rows.stride(0) * static_cast<std::int64_t>(size_of(rows.dtype));
  rows.shape[0] -= count;
  return rows;
}

std::optional<WithoutZeroColumns> without_zero_columns(const ConstView& tensor) {
  const ConstView view = squeezed(tensor);
  if (view.rank != 2 || !is_real(view.dtype)) return std::nullopt;
  const Reading reading = columns_last(view, 1);
  const auto is_zero = [&](std::int64_t column) {
    for (std::int64_t place = 0; place < reading.extents[0]; ++place) {
      if (reading.at(place, column) != 0) return false;
    }
    return true;
  };
  WithoutZeroColumns found = {view, {}};
  std::int64_t& width = found.rest.shape[1];
  while (width > 0 && is_zero(width - 1)) found.zeros.insert(found.zeros.begin(), --width);
  return found.zeros.empty() || width < 2 ? std::nullopt : std::optional(std::move(found));
}

std::optional<WithoutZeroRows> without_zero_rows(const ConstView& tensor) {
  const ConstView view = squeezed(tensor);
  if (view.rank != 2 || !is_real(view.dtype)) return std::nullopt;
  const Reading reading = columns_last(view, 1);
  const auto is_zero = [&](std::int64_t place) {
    for (std::int64_t column = 0; column < reading.width; ++column) {
      if (reading.at(place, column) != 0) return false;
    }
    return true;
  };
  const std::int64_t count = reading.extents[0];
  std::int64_t filled = count;
  while (filled > 0 && is_zero(filled - 1)) --filled;
  if (4 * (count - filled) <= count || filled < 2) return std::nullopt;
  WithoutZeroRows found = {view, "rows " + std::to_string(filled) + " to " + std::to_string(count - 1) + " are zero"};
  found.rest.shape[0] = filled;
  return found;
}

}  // namespace posenc::referee
