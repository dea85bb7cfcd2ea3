// SPDX-License-Identifier: Apache-2.0
// Which widths a convention admits, and how many columns its rows have.
#include <posenc/convention.h>

#include "src/conventions/short_form.h"

namespace posenc {
namespace {

Problem problem(std::string rule, std::string value) { return {"convention", std::move(rule), std::move(value)}; }

std::optional<Problem> check_range(std::int64_t dim, const std::string& width) {
  constexpr std::int64_t widest = std::int64_t{1} << 30;  // ladders are kept in memory
  if (dim < 1 || dim > widest) return problem(width + " must be 1 to 2^30", std::to_string(dim));
  return std::nullopt;
}

// The rules of one row of width dim, named `width` in messages.
std::optional<Problem> check_row_width(const Sinusoid& row, std::int64_t dim, const std::string& width) {
  if (auto problem = check_range(dim, width)) return problem;
  if (dim % 2 == 1 && row.odd_width == OddWidth::refused) return problem(width + " must be even", std::to_string(dim));
  const std::int64_t n = row.odd_width == OddWidth::lone_sine ? (dim + 1) / 2 : dim / 2;
  if (const auto* own = std::get_if<Listed>(&row.ladder)) {
    if (static_cast<std::int64_t>(own->frequencies.size()) != n) {
      return problem(
          "the ladder must list " + std::to_string(n) + " frequencies for " + width + " " + std::to_string(dim),
          std::to_string(own->frequencies.size()));
    }
  } else if (std::get<Geometric>(row.ladder).spacing == Spacing::over_gaps && n < 2) {
    return problem(width + " must give 2 frequencies or more: the spacing divides by n - 1", std::to_string(dim));
  }
  if (dim == 1 && row.odd_width == OddWidth::short_row)
    return problem(width + " must give at least one column", std::to_string(dim));
  return std::nullopt;
}

std::optional<Problem> check_dim(const Sinusoid& row, std::int64_t dim) { return check_row_width(row, dim, "width"); }
std::optional<Problem> check_dim(const Grid& cells, std::int64_t dim) {
  if (dim < 4 || dim % 4 != 0) return problem("width of a grid must be a multiple of 4", std::to_string(dim));
  return check_row_width({cells.ladder, cells.layout, OddWidth::refused}, dim / 2, "half width");
}
std::optional<Problem> check_dim(const Timestep& step, std::int64_t dim) {
  if (auto problem = check_range(dim, "width")) return problem;
  if (dim / 2 != 1 || step.shift != 1) return std::nullopt;
  return problem("width must not give 1 frequency: shift 1 divides by n - 1", std::to_string(dim));
}
std::optional<Problem> check_dim(const PlainRotary& rotary, std::int64_t dim) {
  return check_row_width({rotary.ladder, Layout::cosine_first, OddWidth::refused}, dim, "width");
}
std::optional<Problem> check_dim(const Bias&, std::int64_t heads) { return check_range(heads, "the number of heads"); }

// What else a convention without a short form asks of its width, lowering says.
std::optional<Problem> check_dim(const Waves&, std::int64_t dim) { return check_range(dim, "width"); }
std::optional<Problem> check_dim(const Rotary&, std::int64_t dim) { return check_range(dim, "width"); }
std::optional<Problem> check_dim(const Slopes&, std::int64_t heads) {
  return check_range(heads, "the number of heads");
}

}  // namespace

std::optional<Problem> check_width(const Convention& convention, std::int64_t dim) {
  if (auto problem = check_convention(convention)) return problem;
  return visit_stated(convention, [&](const auto& stated, auto) { return check_dim(stated, dim); });
}

std::int64_t columns(const Convention& convention, std::int64_t dim) {
  const auto* waves = std::get_if<Waves>(&convention);
  if (waves == nullptr) return dim;
  const bool loses_one = waves->odd_width == OddWidth::short_row || waves->odd_width == OddWidth::zero_row;
  return loses_one ? dim - dim % 2 : dim;
}

}  // namespace posenc
