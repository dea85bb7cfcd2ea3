// SPDX-License-Identifier: Apache-2.0
// Ladders of a given width, and the rows that stand on them.
#include "src/encodings/ladder.h"

namespace posenc {
namespace {

Progression progression(const Geometric& ladder, std::int64_t dim, std::int64_t count) {
  if (ladder.spacing == Spacing::over_width) return {ladder.first, ladder.base, 2, static_cast<std::uint64_t>(dim)};
  return {ladder.first, ladder.base, 1, static_cast<std::uint64_t>(count > 1 ? count - 1 : 1)};
}

}  // namespace

std::int64_t frequency_count(const Sinusoid& row, std::int64_t dim) {
  return row.odd_width == OddWidth::lone_sine ? (dim + 1) / 2 : dim / 2;
}

RowForm row_form(const Sinusoid& row, std::int64_t dim) {
  const std::int64_t count = frequency_count(row, dim);
  RowForm form = {
      {}, row.layout, static_cast<std::size_t>(count), static_cast<std::size_t>(dim / 2), columns(row, dim)};
  if (const auto* own = std::get_if<Listed>(&row.ladder)) {
    form.ladder = *own;
  } else {
    form.ladder = progression(std::get<Geometric>(row.ladder), dim, count);
  }
  return form;
}

Sinusoid axis_row(const Grid& grid) { return {grid.ladder, grid.layout, OddWidth::refused}; }

engine::Rungs rungs(const RowForm& form) {
  if (const auto* own = std::get_if<Listed>(&form.ladder)) return engine::listed_rungs(own->frequencies);
  const auto& w = std::get<Progression>(form.ladder);
  return engine::geometric_rungs(w.first, w.base, w.numerator, w.denominator, form.sines);
}

}  // namespace posenc
