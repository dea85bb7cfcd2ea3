// SPDX-License-Identifier: Apache-2.0
// Where two conventions part: their plans column by column, then their entries row by row.
#include <posenc/referee/explain.h>
#include <posenc/rows.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "src/base/blocks.h"
#include "src/base/environment.h"
#include "src/base/scratch.h"
#include "src/conventions/lower.h"
#include "src/encodings/rules.h"
#include "src/referee/explain/real_text.h"

namespace posenc {
namespace {

using numerics::Real;
using plan::Column;
using plan::Kind;

// ---- plans --------------------------------------------------------------------------------------

using Names = std::vector<std::string>;  // of axes

std::string formula_of_angle(const std::vector<plan::Ladder>& ladders, const plan::Angle& angle, const Names& names) {
  if (angle.axis == plan::no_axis) return "angle 0";
  const std::size_t axis = angle.axis == plan::every_axis ? 0 : angle.axis;
  std::string text = "w = " + referee::closed_form(ladders[axis][angle.frequency]);
  if (angle.axis == plan::every_axis) return text + ", summed over axes";
  return ladders.size() == 1 ? text : text + " of axis " + names[axis];
}

std::string words_of_column(const plan::RowPlan& plan, std::size_t c, const Names& names) {
  if (c >= plan.columns.size()) return "no such column";
  constexpr std::string_view waves[] = {"sine", "cosine", "minus sine", "minus cosine"};
  const Column& column = plan.columns[c];
  const std::string by = plan.scale == Real(1) ? "" : ", times " + referee::closed_factor(plan.scale);
  if (column.kind == Kind::constant) return (column.quarter % 2 == 0 ? "0" : "a constant") + by;
  if (column.kind == Kind::coordinate) return "the coordinate of axis " + names[column.axis] + by;
  const std::string wave = column.kind == Kind::angle ? "angle" : std::string(waves[column.quarter % 4]);
  return wave + ", " + formula_of_angle(plan.ladders, {column.axis, column.frequency}, names) + by;
}

// A plan whose axes are those of another convention, in their order: axis i is what was axis order[i].
template <class Plan>
Plan with_axes_in(const std::vector<std::size_t>& order, Plan plan) {
  const auto moved = [&](std::uint16_t axis) {
    const auto at = std::ranges::find(order, std::size_t{axis});
    return at == order.end() ? axis : static_cast<std::uint16_t>(at - order.begin());  // none, or all
  };
  const Plan before = plan;
  for (std::size_t i = 0; i < order.size(); ++i) {
    plan.axes[i] = before.axes[order[i]], plan.ladders[i] = before.ladders[order[i]];
  }
  if constexpr (std::is_same_v<Plan, plan::RowPlan>) {
    for (Column& column : plan.columns) column.axis = moved(column.axis);
  } else {
    for (plan::Pair& pair : plan.pairs) {
      for (plan::Angle& angle : pair.angles) angle.axis = moved(angle.axis);
    }
  }
  return plan;
}
// Where b has each axis of a; as they stand, where it has others.
std::vector<std::size_t> order_of_axes(const Convention& a, const Convention& b) {
  const std::vector<std::string> of_a = axes_of(a), of_b = axes_of(b);
  std::vector<std::size_t> order(of_a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::ranges::is_permutation(of_a, of_b)) return order;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    order[i] = static_cast<std::size_t>(std::ranges::find(of_b, of_a[i]) - of_b.begin());
  }
  return order;
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

std::optional<Parted> first_column(const plan::RowPlan& a, const plan::RowPlan& b, const Names& names) {
  if (a == b) return std::nullopt;
  const std::size_t least = std::min(a.columns.size(), b.columns.size());
  std::size_t c = 0;
  while (c < least && only_column(a, c) == only_column(b, c)) ++c;
  return Parted{static_cast<std::int64_t>(c), words_of_column(a, c, names), words_of_column(b, c, names)};
}

// What is written to a column: its pair, which of the two, and how it turns.
std::string words_of_column(const plan::PairPlan& plan, std::uint32_t c, const Names& names) {
  for (const plan::Pair& pair : plan.pairs) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (pair.written[i] != c) continue;
      return "turned with columns " + std::to_string(pair.read[0]) + " and " + std::to_string(pair.read[1]) + ", " +
             formula_of_angle(plan.ladders, pair.angles[i], names) +
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

std::optional<Parted> first_column(const plan::PairPlan& a, const plan::PairPlan& b, const Names& names) {
  if (a == b) return std::nullopt;
  std::uint32_t c = 0;
  const auto width = static_cast<std::uint32_t>(a.width);
  while (c + 1 < width && only_column(a, c) == only_column(b, c)) ++c;
  return Parted{c, words_of_column(a, c, names), words_of_column(b, c, names)};
}

// ---- entries ------------------------------------------------------------------------------------

constexpr std::int64_t rows_at_once = 256;

// Rows at positions first, first + 1, .. of the first axis, and at as many more of each other axis as its number is.
using WriteRows = std::function<bool(std::int64_t first, std::int64_t count, float* out)>;

// `order`: which of the axes each of those is.
std::vector<Positions> positions_of(const std::vector<std::size_t>& order, std::int64_t first, std::int64_t count) {
  std::vector<Positions> all(order.size(), Positions::range(first, count));
  for (std::size_t i = 0; i < order.size(); ++i) {
    all[order[i]] = Positions::range(first + static_cast<std::int64_t>(i), count);
  }
  return all;
}

WriteRows rows_of(const Convention& convention, std::int64_t dim, const Context& context,
                  const std::vector<std::size_t>& order) {
  return [=, rows = Rows(convention, dim, {.context = context})](std::int64_t first, std::int64_t count, float* out) {
    const std::vector<Positions> at = positions_of(order, first, count);
    return !rows.write_checked(at, view(out, {count, rows.width()}), serial);
  };
}

// Heads of 1, 2, 3, ..: columns that go elsewhere are seen.
WriteRows turned_heads(const Convention& convention, std::int64_t dim, const Context& context,
                       const std::vector<std::size_t>& order) {
  return [=, rows = RotaryRows(convention, dim, {.context = context})](std::int64_t first, std::int64_t count,
                                                                       float* out) {
    for (std::int64_t i = 0; i < count * dim; ++i) out[i] = static_cast<float>(i % dim + 1);
    const std::vector<Positions> at = positions_of(order, first, count);
    const Rotated all[] = {Rotated(view(out, {count, dim}), RotatedSide::query, TokenAxis::before_columns)};
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

bool are_waves(const Convention& convention) { return !check_use("explain", ConventionUse::coordinates, convention); }

}  // namespace

std::optional<Problem> check_parting(const Convention& a, const Convention& b, std::int64_t dim, std::int64_t positions,
                                     const Options& options) {
  const DefaultEnvironment environment;
  if (auto problem = check_exact("explain", options)) return problem;
  const bool waves = are_waves(a);
  for (const Convention& each : {a, b}) {
    if (auto problem = waves ? Rows::check(each, dim, options) : RotaryRows::check(each, dim, options)) return problem;
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
  const std::vector<std::size_t> order = order_of_axes(a, b);
  const std::vector<std::string> axes = axes_of(a);
  const std::optional<Parted> first =
      waves ? first_column(lower_rows(a, given), with_axes_in(order, lower_rows(b, given)), axes)
            : first_column(lower_pairs(a, given), with_axes_in(order, lower_pairs(b, given)), axes);
  if (!first) return std::nullopt;
  Parting parting = {
      .column = first->column, .a = first->a, .b = first->b, .position = {}, .searched = positions, .axes = axes};
  const std::int64_t width = waves ? columns(a, dim) : dim;
  const auto make = waves ? rows_of : turned_heads;
  const std::vector<std::size_t> as_they_stand = order_of_axes(a, a);
  find_position(make(a, dim, context, as_they_stand), make(b, dim, context, order), width, parting);
  return parting;
}

}  // namespace posenc
