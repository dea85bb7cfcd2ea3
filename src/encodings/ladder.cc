// SPDX-License-Identifier: Apache-2.0
// Ladders of a given width.
#include "src/encodings/ladder.h"

namespace posenc {

std::int64_t frequency_count(const Sinusoid& row, std::int64_t dim) {
  return row.odd_width == OddWidth::lone_sine ? (dim + 1) / 2 : dim / 2;
}

Exponents exponents(Spacing spacing, std::int64_t dim, std::int64_t count) {
  if (spacing == Spacing::over_width) return {2, static_cast<std::uint64_t>(dim)};
  return {1, static_cast<std::uint64_t>(count > 1 ? count - 1 : 1)};
}

Sinusoid axis_row(const Grid& grid) { return {grid.ladder, grid.layout, OddWidth::refused}; }

engine::Rungs rungs(const Sinusoid& row, std::int64_t dim) {
  if (const auto* own = std::get_if<Listed>(&row.ladder)) return engine::listed_rungs(own->frequencies);
  const auto& geometric = std::get<Geometric>(row.ladder);
  const std::int64_t count = frequency_count(row, dim);
  const Exponents e = exponents(geometric.spacing, dim, count);
  return engine::geometric_rungs(geometric.first, geometric.base, e.numerator, e.denominator,
                                 static_cast<std::size_t>(count));
}

}  // namespace posenc
