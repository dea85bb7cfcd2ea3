// SPDX-License-Identifier: Apache-2.0
// The definition of a cell of several axes that have pairs of their own, in plain loops and long double: what stands in
// each column, by sorting all of them. It shares no code with the library.
#pragma once

#include <algorithm>
#include <tuple>

#include "tests/encodings/plain.h"

namespace posenc::test {

/// Pairs of each axis.
inline std::vector<std::int64_t> plain_pairs(const Waves& waves, std::int64_t d) {
  const auto axes = std::ssize(waves.axes);
  if (const auto* listed = std::get_if<std::vector<std::int64_t>>(&waves.sections)) return *listed;
  if (const auto* by = std::get_if<AxisShares>(&waves.sections)) {
    std::vector<std::int64_t> pairs;
    std::int64_t left = d / 2;
    for (const std::int64_t share : by->shares) left -= pairs.emplace_back(d * share / by->of / 2);
    for (std::size_t a = 0; a < pairs.size(); ++a) pairs[a] += waves.axes[a] == by->rest ? left : 0;
    return pairs;
  }
  std::int64_t each = 0;
  while (2 * axes * (each + 1) <= d) ++each;
  const bool more = std::holds_alternative<EqualUp>(waves.sections) && 2 * axes * each < d;
  return std::vector<std::int64_t>(waves.axes.size(), each + (more ? 1 : 0));
}

/// The sine or cosine of frequency k of an axis; a zero where it has none.
struct PlainColumn {
  std::optional<std::size_t> axis;
  std::int64_t k = 0;
  bool is_cosine = false;
};

inline std::vector<PlainColumn> plain_columns(const Waves& waves, std::int64_t d) {
  const std::vector<std::int64_t> pairs = plain_pairs(waves, d);
  std::vector<PlainColumn> columns;
  for (std::size_t axis = 0; axis < pairs.size(); ++axis) {
    for (std::int64_t k = 0; k < pairs[axis]; ++k) {
      columns.push_back({axis, k, false});
      columns.push_back({axis, k, true});
    }
  }
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::ranges::sort(columns, {}, [&](const PlainColumn& column) -> Key {
    const auto axis = static_cast<std::int64_t>(*column.axis);
    const std::int64_t half = column.is_cosine == (waves.layout != Layout::cosine_first) ? 1 : 0;
    const bool by_axis = waves.order == PairOrder::axis_major;
    if (waves.layout == Layout::interleaved) return {by_axis ? axis : column.k, by_axis ? column.k : axis, half};
    if (waves.scope == Scope::row) return {half, by_axis ? axis : column.k, by_axis ? column.k : axis};
    return waves.scope == Scope::run ? Key{axis, half, column.k} : Key{column.k, half, axis};
  });
  if (waves.rest != RestColumns::refused) columns.resize(static_cast<std::size_t>(d));
  return columns;
}

/// w_k of every axis.
inline std::vector<std::vector<long double>> plain_ladders(const Waves& waves, std::int64_t d) {
  std::vector<std::vector<long double>> ladders;
  for (const std::int64_t pairs : plain_pairs(waves, d)) {
    const Ladder& ladder = waves.ladders[waves.ladders.size() == 1 ? 0 : ladders.size()];
    ladders.push_back(plain_ladder(ladder, 2 * pairs, pairs));
  }
  return ladders;
}

/// The cell at these coordinates, one of every axis in the convention's order.
inline std::vector<long double> plain_cell(const Waves& waves, std::int64_t d,
                                           const std::vector<long double>& coordinates) {
  const std::vector<std::vector<long double>> ladders = plain_ladders(waves, d);
  std::vector<long double> cell;
  for (const PlainColumn& column : plain_columns(waves, d)) {
    if (!column.axis) {
      cell.push_back(0);
      continue;
    }
    const long double angle = coordinates[*column.axis] * ladders[*column.axis][static_cast<std::size_t>(column.k)];
    cell.push_back(column.is_cosine ? std::cos(angle) : std::sin(angle));
  }
  return cell;
}

/// The coordinates of a cell of the flat table, one of every axis in the convention's order: x runs fastest, then y,
/// then the others from the last to the first.
inline std::vector<std::int64_t> plain_coordinates(const Waves& waves, const std::vector<std::int64_t>& extents,
                                                   std::int64_t cell) {
  std::vector<std::string> order;  // slowest first
  for (const std::string& axis : waves.axes) {
    if (axis != "x" && axis != "y") order.push_back(axis);
  }
  for (const std::string axis : {"y", "x"}) {
    if (std::ranges::count(waves.axes, axis) != 0) order.push_back(axis);
  }
  std::vector<std::int64_t> coordinates(waves.axes.size());
  for (std::size_t i = order.size(); i-- > 0; cell /= extents[i]) {
    const auto axis = std::ranges::find(waves.axes, order[i]) - waves.axes.begin();
    coordinates[static_cast<std::size_t>(axis)] = cell % extents[i];
  }
  return coordinates;
}

}  // namespace posenc::test
