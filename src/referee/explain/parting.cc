// SPDX-License-Identifier: Apache-2.0
// Where two conventions part: their plans column by column, then their entries row by row.
#include <posenc/coordinates.h>
#include <posenc/explain.h>

#include <cmath>
#include <cstring>

#include "src/base/blocks.h"
#include "src/base/scratch.h"
#include "src/conventions/lower.h"
#include "src/referee/explain/real_text.h"

namespace posenc {
namespace {

using numerics::Real;
using plan::Column;
using plan::Kind;

// ---- plans --------------------------------------------------------------------------------------

std::string formula_of_angle(const std::vector<plan::Ladder>& ladders, const plan::Angle& angle) {
  if (angle.axis == plan::no_axis) return "angle 0";
  const std::size_t axis = angle.axis == plan::every_axis ? 0 : angle.axis;
  std::string text = "w = " + referee::closed_form(ladders[axis][angle.frequency]);
  if (angle.axis == plan::every_axis) return text + ", summed over axes";
  return ladders.size() == 1 ? text : text + " of axis " + std::to_string(axis);
}

std::string words_of_column(const plan::RowPlan& plan, std::size_t c) {
  if (c >= plan.columns.size()) return "no such column";
  constexpr std::string_view waves[] = {"sine", "cosine", "minus sine", "minus cosine"};
  const Column& column = plan.columns[c];
  const std::string by = plan.scale == Real(1) ? "" : ", times " + referee::closed_factor(plan.scale);
  if (column.kind == Kind::constant) return (column.quarter % 2 == 0 ? "0" : "a constant") + by;
  if (column.kind == Kind::coordinate) return "the coordinate of axis " + std::to_string(column.axis) + by;
  const std::string wave = column.kind == Kind::angle ? "angle" : std::string(waves[column.quarter % 4]);
  return wave + ", " + formula_of_angle(plan.ladders, {column.axis, column.frequency}) + by;
}

// The row of one column, as a plan of its own: plans are compared by their real numbers.
plan::RowPlan only_column(const plan::RowPlan& plan, std::size_t c) {
  plan::RowPlan one = plan;
  one.columns = {plan.columns[c]};
  return one;
}

struct Parted {
  std::int64_t column;
  std::string a, b;
};

std::optional<Parted> first_column(const plan::RowPlan& a, const plan::RowPlan& b) {
  if (a == b) return std::nullopt;
  const std::size_t least = std::min(a.columns.size(), b.columns.size());
  std::size_t c = 0;
  while (c < least && only_column(a, c) == only_column(b, c)) ++c;
  return Parted{static_cast<std::int64_t>(c), words_of_column(a, c), words_of_column(b, c)};
}

// What is written to a column: its pair, which of the two, and how it turns.
std::string words_of_column(const plan::PairPlan& plan, std::uint32_t c) {
  for (const plan::Pair& pair : plan.pairs) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (pair.written[i] != c) continue;
      return "turned with columns " + std::to_string(pair.read[0]) + " and " + std::to_string(pair.read[1]) + ", " +
             formula_of_angle(plan.ladders, pair.angles[i]) +
             (plan.turning == plan::Turning::backward ? ", backward" : "") +
             (plan.magnitude == Real(1) ? "" : ", times " + referee::closed_factor(plan.magnitude)) +
             (plan.decay ? ", with a decay" : "");
    }
  }
  return "not turned";
}

// The rotation with the pair that writes a column alone.
plan::PairPlan only_column(plan::PairPlan plan, std::uint32_t c) {
  std::erase_if(plan.pairs, [&](const plan::Pair& pair) { return pair.written[0] != c && pair.written[1] != c; });
  return plan;
}

std::optional<Parted> first_column(const plan::PairPlan& a, const plan::PairPlan& b) {
  if (a == b) return std::nullopt;
  std::uint32_t c = 0;
  const auto width = static_cast<std::uint32_t>(a.width);
  while (c + 1 < width && only_column(a, c) == only_column(b, c)) ++c;
  return Parted{c, words_of_column(a, c), words_of_column(b, c)};
}

// ---- entries ------------------------------------------------------------------------------------

constexpr std::int64_t rows_at_once = 256;

// Rows at positions first, first + 1, .. of every axis.
using WriteRows = std::function<bool(std::int64_t first, std::int64_t count, float* out)>;

WriteRows rows_of(const Convention& convention, std::int64_t dim, const Context& context) {
  return
      [rows = CoordinateRows(convention, dim, exact(), context)](std::int64_t first, std::int64_t count, float* out) {
        const std::vector<Positions> at(rows.axes().size(), Positions::range(first, count));
        return !rows.write_checked(at, view(out, {count, rows.width()}), serial);
      };
}

// Heads of 1, 2, 3, ..: columns that go elsewhere are seen.
WriteRows turned_heads(const Convention& convention, std::int64_t dim, const Context& context) {
  return
      [rows = RotaryRows(convention, dim, exact(), context), dim](std::int64_t first, std::int64_t count, float* out) {
        for (std::int64_t i = 0; i < count * dim; ++i) out[i] = static_cast<float>(i % dim + 1);
        const std::vector<Positions> at(rows.axes().size(), Positions::range(first, count));
        const Rotated all[] = {Rotated(view(out, {count, dim}), Side::query, TokenAxis::before_columns)};
        return !rows.rotate_checked(at, all, Direction::forward, serial);
      };
}

void find_position(const WriteRows& a, const WriteRows& b, std::int64_t width, Parting& parting) {
  const Scratch<float> in_a(static_cast<std::size_t>(rows_at_once * width)),
      in_b(static_cast<std::size_t>(rows_at_once * width));
  for (std::int64_t first = 0; first < parting.searched; first += rows_at_once) {
    const std::int64_t count = std::min(rows_at_once, parting.searched - first);
    if (!a(first, count, in_a.data()) || !b(first, count, in_b.data())) return;
    for (std::int64_t i = 0; i < count * width; ++i) {
      const float x = in_a.data()[i], y = in_b.data()[i];
      if (x == y || (x != x && y != y)) continue;
      parting.position = first + i / width;
      parting.at_column = i % width;
      parting.in_a = static_cast<double>(x), parting.in_b = static_cast<double>(y);
      return;
    }
  }
}

bool are_waves(const Convention& convention) { return !check_use("explain", Use::coordinates, convention); }

}  // namespace

std::optional<Problem> check_parting(const Convention& a, const Convention& b, std::int64_t dim, std::int64_t positions,
                                     const Context& context) {
  const bool waves = are_waves(a);
  for (const Convention& each : {a, b}) {
    auto problem =
        waves ? CoordinateRows::check(each, dim, exact(), context) : RotaryRows::check(each, dim, exact(), context);
    if (problem) return problem;
  }
  if (axes_of(a).size() != axes_of(b).size()) {
    return Problem{"explain", "two conventions that part must have as many axes: " + std::to_string(axes_of(a).size()),
                   std::to_string(axes_of(b).size())};
  }
  if (waves && columns(a, dim) != columns(b, dim)) {
    return Problem{"explain", "two conventions that part must have as many columns: " + std::to_string(columns(a, dim)),
                   std::to_string(columns(b, dim))};
  }
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (positions >= 1 && positions <= most) return std::nullopt;
  return Problem{"explain", "the positions that are searched must be 1 to 2^24", std::to_string(positions)};
}

std::optional<Parting> detail::parting(const Convention& a, const Convention& b, std::int64_t dim,
                                       std::int64_t positions, const Context& context) {
  const DefaultEnvironment environment;
  const LoweredFor given = {.width = dim, .context = context};
  const bool waves = are_waves(a);
  const std::optional<Parted> first = waves ? first_column(lower_rows(a, given), lower_rows(b, given))
                                            : first_column(lower_pairs(a, given), lower_pairs(b, given));
  if (!first) return std::nullopt;
  Parting parting = {.column = first->column, .a = first->a, .b = first->b, .position = {}, .searched = positions};
  const std::int64_t width = waves ? columns(a, dim) : dim;
  const auto make = waves ? rows_of : turned_heads;
  find_position(make(a, dim, context), make(b, dim, context), width, parting);
  return parting;
}

}  // namespace posenc
