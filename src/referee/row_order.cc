// SPDX-License-Identifier: Apache-2.0
// Rows one by one: the coordinate that each shows, and which of them are right.
#include "src/referee/row_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/base/to_text.h"
#include "src/referee/known_entries.h"
#include "src/referee/short_text.h"

namespace posenc::referee {
namespace {

// The coordinate of every place, where all show one and a hypothesis that has them there is right.
std::optional<std::vector<double>> own_coordinates(const Reading& reading, const Hypothesis& asked, DType storage) {
  const std::int64_t places = reading.extents[0];
  std::vector<std::int64_t> all(static_cast<std::size_t>(places));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  std::vector<double> list;
  for (const auto& shown : coordinates_shown(reading, asked.signal, 0, all, tolerance_of(storage))) {
    if (shown.empty()) return std::nullopt;
    list.push_back(whole_if_near(shown[0]));
  }
  const Hypothesis moved = {asked.signal, asked.extent_of, {{list[0], 1, list}}};
  const Known known = known_of(reading, moved, storage);
  if (known.rows.empty()) return std::nullopt;
  const std::vector<std::int64_t> wrong = counts_of(reading, known).rows;
  if (std::accumulate(wrong.begin(), wrong.end(), std::int64_t{0}) > 0) return std::nullopt;
  return list;
}

// In equal steps other than 0.
bool are_spaced(std::span<const double> list) {
  const double step = list.size() < 2 ? 1 : list[1] - list[0];
  return step != 0 && std::ranges::adjacent_find(list, [&](double a, double b) { return b - a != step; }) == list.end();
}

// From the first wrong one to the last where there is nothing else between, at one end.
std::optional<std::pair<std::int64_t, std::int64_t>> wrong_side(const std::vector<std::int64_t>& wrong,
                                                                std::int64_t of) {
  const std::int64_t count = std::ssize(wrong);
  constexpr double bad = 0.25;
  const auto is_wrong = [&](std::int64_t i) {
    return static_cast<double>(wrong[static_cast<std::size_t>(i)]) > bad * static_cast<double>(of);
  };
  std::int64_t from = 0, to = count;
  while (from < count && wrong[static_cast<std::size_t>(from)] == 0) ++from;
  while (to > from && wrong[static_cast<std::size_t>(to - 1)] == 0) --to;
  if (to - from < 2 || 4 * (to - from) > 3 * count || (from != 0 && to != count)) return std::nullopt;
  std::int64_t all = 0;
  for (std::int64_t i = from; i < to; ++i) all += is_wrong(i);
  return 10 * all >= 9 * (to - from) ? std::optional(std::pair(from, to - 1)) : std::nullopt;
}

}  // namespace

std::optional<Fault> moved_rows(const Reading& reading, const Hypothesis& asked, DType storage) {
  constexpr std::int64_t most = std::int64_t{1} << 12;
  constexpr std::size_t fewest_waves = 4;
  if (asked.signal.axes() != 1 || asked.signal.plan->axes[0] != plan::Axis{} || reading.extents.size() != 1 ||
      reading.places() > most || waves_of(asked.signal.plan->columns).size() < fewest_waves) {
    return std::nullopt;
  }
  const auto own = own_coordinates(reading, asked, storage);
  if (!own) return std::nullopt;
  const auto is_zero = [&](std::size_t i) {
    const auto place = static_cast<std::int64_t>(i);
    for (std::int64_t c = 0; c < reading.width; ++c) {
      if (reading.at(place, c) != 0) return false;
    }
    return true;
  };
  std::vector<std::size_t> moved;
  for (std::size_t i = 0; i < own->size(); ++i) {
    if ((*own)[i] != asked.coordinates[0].at(static_cast<std::int64_t>(i))) moved.push_back(i);
  }
  // Another first position or step, behind rows of zeros or not; and rows that are zero, as sines at 0 are: padding.
  std::size_t behind = 0;
  while (behind < own->size() && is_zero(behind)) ++behind;
  if (moved.empty() || are_spaced(std::span(*own).subspan(behind)) || std::ranges::all_of(moved, is_zero)) {
    return std::nullopt;
  }
  const auto rows = [&](std::int64_t count) { return std::to_string(reading.row(count)) + " rows"; };
  const std::int64_t count = reading.places();
  if (std::ranges::all_of(*own, [&](double x) { return x == own->front(); })) {
    return Fault{{words_of_one_position(reading.extra, count, own->front())}, 1};
  }
  std::vector<double> sorted = *own;
  std::ranges::sort(sorted);
  const auto goes_on = [](double a, double b) { return b != a + 1; };
  const bool permuted = std::ranges::adjacent_find(sorted, goes_on) == sorted.end();
  constexpr std::size_t few = 4;
  const auto first = std::span(moved).first(std::min(few, moved.size()));
  const std::string words = listed(first, [&](std::size_t i) {
    return "row " + std::to_string(reading.row(static_cast<std::int64_t>(i))) + " holds position " +
           short_text((*own)[i], 8);
  });
  return Fault{{(permuted ? "rows are permuted: " : "rows are at other positions: ") + words +
                (moved.size() > few ? ", .. (" + std::to_string(moved.size()) + " of " + rows(count) + ")" : "")},
               1};
}

std::optional<Fault> another_part(const Reading& reading, const Hypothesis& asked, DType storage) {
  const Known known = known_of(reading, asked, storage);
  if (known.rows.empty()) return std::nullopt;
  const Counts counts = counts_of(reading, known);
  const auto words = [](std::string_view what, std::int64_t from, std::int64_t to) {
    return Fault{
        {std::string(what) + " " + std::to_string(from) + " to " + std::to_string(to) + " hold something else"}, 0};
  };
  if (const auto rows = wrong_side(counts.rows, reading.width)) {
    return words("rows", reading.row(known.place(rows->first)), reading.row(known.place(rows->second)));
  }
  // Columns that were moved are still like those of the convention; those of another table are not.
  const auto columns = wrong_side(counts.columns, known.count());
  constexpr double unlike = 0.25;
  const double scale = asked.signal.scale;
  const auto entries = [&] { return static_cast<double>((columns->second - columns->first + 1) * known.count()); };
  if (columns && counts.squares > unlike * scale * scale * entries()) {
    return words("columns", columns->first, columns->second);
  }
  return std::nullopt;
}

}  // namespace posenc::referee
