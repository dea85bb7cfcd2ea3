// SPDX-License-Identifier: Apache-2.0
// Ladders of a given width, and the rows that stand on them.
#include "src/encodings/ladder.h"

#include <numeric>

namespace posenc {
namespace {

Progression progression(const Geometric& ladder, std::int64_t dim, std::int64_t count) {
  if (ladder.spacing == Spacing::over_width) return {ladder.first, ladder.base, 1, 2, static_cast<std::uint64_t>(dim)};
  return {ladder.first, ladder.base, 1, 1, static_cast<std::uint64_t>(count > 1 ? count - 1 : 1)};
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

namespace {

constexpr std::uint64_t unit = std::uint64_t{1} << 16;  // a shift of 1

// k / (n - shift) without common powers of two, so that a shift of 0 or 1 divides k by n or n - 1.
Progression progression(const Timestep& step, std::uint64_t n) {
  const std::uint64_t denominator = n > 0 ? n * unit - *shift_units(step) : unit;
  const std::uint64_t common = std::gcd(unit, denominator);
  return {1, step.max_period, step.scale, unit / common, denominator / common};
}

}  // namespace

std::optional<std::uint64_t> shift_units(const Timestep& step) {
  if (!(step.shift >= 0 && step.shift <= 1)) return std::nullopt;
  const double units = step.shift * static_cast<double>(unit);
  const auto whole = static_cast<std::uint64_t>(units);
  return static_cast<double>(whole) == units ? std::optional(whole) : std::nullopt;
}

RowForm row_form(const Timestep& step, std::int64_t dim) {
  const auto n = static_cast<std::size_t>(dim / 2);
  return {progression(step, n), step.layout, n, n, dim};
}

bool has_one_axis(const Convention& convention) {
  return std::holds_alternative<Sinusoid>(convention) || std::holds_alternative<Timestep>(convention);
}

RowForm row_form(const Convention& convention, std::int64_t dim) {
  if (const auto* step = std::get_if<Timestep>(&convention)) return row_form(*step, dim);
  return row_form(std::get<Sinusoid>(convention), dim);
}

Sinusoid axis_row(const Grid& grid) { return {grid.ladder, grid.layout, OddWidth::refused}; }

Sinusoid angle_row(const Rotary& rotary) { return {rotary.ladder, Layout::cosine_first, OddWidth::refused}; }

engine::Rungs rungs(const RowForm& form) {
  if (const auto* own = std::get_if<Listed>(&form.ladder)) return engine::listed_rungs(own->frequencies);
  const auto& w = std::get<Progression>(form.ladder);
  return engine::geometric_rungs(w.first * w.scale, w.base, w.numerator, w.denominator, form.sines);
}

}  // namespace posenc
