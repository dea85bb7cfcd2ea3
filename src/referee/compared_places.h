// SPDX-License-Identifier: Apache-2.0
// The places at which two conventions are compared: one list of positions an axis, and all their cells.
#pragma once

#include <cmath>

#include "src/encodings/positions.h"
#include "src/referee/reading.h"

namespace posenc::referee {

inline double number_at(const Positions& positions, std::int64_t i) {
  const numerics::Dyadic x = position_at(positions, 0, i);
  const double size = std::ldexp(static_cast<double>(x.mantissa), x.exponent);
  return x.negative && size > 0 ? -size : size;
}

/// Positions first, .., first + count - 1 of a list [L]; `memory` keeps those of a range of reals.
inline Positions slice(const Positions& all, std::int64_t first, std::int64_t count, std::vector<double>& memory) {
  switch (all.kind_) {
    case Positions::Kind::integers:
      return Positions::range(integer_of_range(all, first), count, count == 1 ? std::int64_t{1} : all.step_);
    case Positions::Kind::list: {
      ConstView list = all.list_;
      const std::int64_t bytes = first * list.stride(0) * static_cast<std::int64_t>(size_of(list.dtype));
      list.data = static_cast<const std::byte*>(list.data) + bytes;
      list.shape[0] = count;
      return Positions::list(list);
    }
    default: break;
  }
  memory.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) memory[static_cast<std::size_t>(i)] = number_at(all, first + i);
  return Positions::list(view(std::as_const(memory).data(), {count}));
}

/// Cells in row-major order, the last axis fastest.
struct Places {
  std::vector<Positions> along;  ///< of each axis

  std::int64_t count() const {
    std::int64_t cells = 1;
    for (const Positions& each : along) cells *= each.count_;
    return cells;
  }
  /// The coordinates of cell i.
  std::vector<double> at(std::int64_t i) const {
    std::vector<double> of(along.size());
    for (std::size_t a = along.size(); a-- > 0; i /= along[a].count_) of[a] = number_at(along[a], i % along[a].count_);
    return of;
  }
  /// A list for each axis, of cells first, .., first + count - 1.
  std::vector<Positions> lists(std::int64_t first, std::int64_t count, std::vector<std::vector<double>>& memory) const {
    memory.resize(along.size());
    if (along.size() == 1) return {slice(along[0], first, count, memory[0])};
    for (std::vector<double>& each : memory) each.clear();
    for (std::int64_t i = first; i < first + count; ++i) {
      const std::vector<double> cell = at(i);
      for (std::size_t a = 0; a < cell.size(); ++a) memory[a].push_back(cell[a]);
    }
    std::vector<Positions> all;
    for (const std::vector<double>& each : memory) all.push_back(Positions::list(view(each.data(), {count})));
    return all;
  }
};

}  // namespace posenc::referee
