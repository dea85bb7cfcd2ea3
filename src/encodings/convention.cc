// SPDX-License-Identifier: Apache-2.0
// Conventions: their names, their rules, and which widths they admit.
#include <posenc/convention.h>

#include <cmath>

#include "src/encodings/ladder.h"
#include "src/encodings/text.h"
#include "src/engine/blocks.h"

namespace posenc {

std::string_view family(const Convention& convention) {
  return std::holds_alternative<Sinusoid>(convention) ? "sinusoid" : "grid";
}

std::string_view to_string(Spacing spacing) {
  switch (spacing) {
    case Spacing::over_width: return "over_width";
    case Spacing::over_gaps: return "over_gaps";
    case Spacing::over_gaps_or_one: return "over_gaps_or_one";
  }
  return "no spacing";
}

std::string_view to_string(Layout layout) {
  switch (layout) {
    case Layout::interleaved: return "interleaved";
    case Layout::sine_first: return "sine_first";
    case Layout::cosine_first: return "cosine_first";
  }
  return "no layout";
}

std::string_view to_string(OddWidth rule) {
  switch (rule) {
    case OddWidth::refused: return "refused";
    case OddWidth::zero_column: return "zero_column";
    case OddWidth::short_row: return "short_row";
    case OddWidth::lone_sine: return "lone_sine";
  }
  return "no rule";
}

std::string_view to_string(AxisOrder order) {
  switch (order) {
    case AxisOrder::column_first: return "column_first";
    case AxisOrder::row_first: return "row_first";
  }
  return "no order";
}

namespace {

std::string ladder_text(const Ladder& ladder) {
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    return "listed frequencies [" + listed(own->frequencies, [](double w) { return to_text(w); }) + "]";
  }
  const auto& geometric = std::get<Geometric>(ladder);
  return "base " + to_text(geometric.base) + ", first " + to_text(geometric.first) + ", spacing " +
         std::string(to_string(geometric.spacing));
}

Problem problem(std::string rule, std::string value) { return {"convention", std::move(rule), std::move(value)}; }

std::optional<Problem> check_ladder(const Ladder& ladder) {
  if (const auto* own = std::get_if<Listed>(&ladder)) {
    for (std::size_t k = 0; k < own->frequencies.size(); ++k) {
      const double w = own->frequencies[k];
      if (!(w >= 0) || std::isinf(w)) {
        return Problem{"convention", "frequencies must be finite and >= 0", to_text(w), {static_cast<std::int64_t>(k)}};
      }
    }
    return std::nullopt;
  }
  const auto& geometric = std::get<Geometric>(ladder);
  if (!(geometric.base > 0) || std::isinf(geometric.base)) {
    return problem("base must be finite and > 0", to_text(geometric.base));
  }
  if (!(geometric.first > 0) || std::isinf(geometric.first)) {
    return problem("first must be finite and > 0", to_text(geometric.first));
  }
  if (to_string(geometric.spacing).starts_with("no ")) return problem("spacing must be stated", "none");
  return std::nullopt;
}

// The rules of one row of width dim, named `width` in messages.
std::optional<Problem> check_row_width(const Sinusoid& row, std::int64_t dim, const std::string& width) {
  constexpr std::int64_t widest = std::int64_t{1} << 30;  // ladders are kept in memory
  if (dim < 1 || dim > widest) return problem(width + " must be 1 to 2^30", std::to_string(dim));
  if (dim % 2 == 1 && row.odd_width == OddWidth::refused) return problem(width + " must be even", std::to_string(dim));
  const std::int64_t n = frequency_count(row, dim);
  if (const auto* own = std::get_if<Listed>(&row.ladder)) {
    if (static_cast<std::int64_t>(own->frequencies.size()) != n) {
      return problem(
          "the ladder must list " + std::to_string(n) + " frequencies for " + width + " " + std::to_string(dim),
          std::to_string(own->frequencies.size()));
    }
  } else if (std::get<Geometric>(row.ladder).spacing == Spacing::over_gaps && n < 2) {
    return problem(width + " must give 2 frequencies or more: the spacing divides by n - 1", std::to_string(dim));
  }
  if (columns(row, dim) == 0) return problem(width + " must give at least one column", std::to_string(dim));
  return std::nullopt;
}

}  // namespace

std::string to_string(const Convention& convention) {
  if (const auto* row = std::get_if<Sinusoid>(&convention)) {
    return "sinusoid: " + ladder_text(row->ladder) + ", layout " + std::string(to_string(row->layout)) +
           ", odd width " + std::string(to_string(row->odd_width));
  }
  const auto& cells = std::get<Grid>(convention);
  return "grid: " + ladder_text(cells.ladder) + ", layout " + std::string(to_string(cells.layout)) + ", axis order " +
         std::string(to_string(cells.axis_order));
}

std::optional<Problem> check_convention(const Convention& convention) {
  const engine::DefaultEnvironment environment;  // subnormal numbers are not zero
  const auto stated = [](std::string_view name) { return !name.starts_with("no "); };
  if (const auto* row = std::get_if<Sinusoid>(&convention)) {
    if (!stated(to_string(row->layout))) return problem("layout must be stated", "none");
    if (!stated(to_string(row->odd_width))) return problem("odd_width must be stated", "none");
    return check_ladder(row->ladder);
  }
  const auto& cells = std::get<Grid>(convention);
  if (!stated(to_string(cells.layout))) return problem("layout must be stated", "none");
  if (!stated(to_string(cells.axis_order))) return problem("axis_order must be stated", "none");
  return check_ladder(cells.ladder);
}

std::optional<Problem> check_width(const Convention& convention, std::int64_t dim) {
  if (auto problem = check_convention(convention)) return problem;
  if (const auto* row = std::get_if<Sinusoid>(&convention)) return check_row_width(*row, dim, "width");
  if (dim < 4 || dim % 4 != 0) return problem("width of a grid must be a multiple of 4", std::to_string(dim));
  return check_row_width(axis_row(std::get<Grid>(convention)), dim / 2, "half width");
}

std::int64_t columns(const Convention& convention, std::int64_t dim) {
  const auto* row = std::get_if<Sinusoid>(&convention);
  return row != nullptr && row->odd_width == OddWidth::short_row ? dim - dim % 2 : dim;
}

}  // namespace posenc
