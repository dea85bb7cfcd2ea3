// SPDX-License-Identifier: Apache-2.0
// The order of a table's columns, from the plans of two rows: the same number here and there.
#include <posenc/referee/table_order.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "src/base/environment.h"
#include "src/base/match.h"
#include "src/conventions/lower.h"
#include "src/encodings/rules.h"

namespace posenc {
namespace {

using plan::Column;
using plan::Kind;
using plan::RowPlan;

Problem no_table_order(std::string rule, std::string value) {
  return {"table_order", std::move(rule), std::move(value)};
}

RowPlan row_plan(const Convention& convention, std::int64_t dim, const Context& context) {
  return lower_rows(convention, {.width = dim, .context = context});
}

// What tells a number from another one, of plans with the same ladders and phases.
auto number_of(const Column& column) {
  const bool constant = column.kind == Kind::constant, waves = column.kind == Kind::wave;
  return std::tuple(column.kind, constant || waves ? column.quarter : 0, constant ? 0 : column.axis,
                    constant || column.kind == Kind::coordinate ? 0u : column.frequency);
}

// Columns of one number next to each other, in the order of the row.
std::vector<std::size_t> by_number(const RowPlan& plan) {
  std::vector<std::size_t> order(plan.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t c) { return number_of(plan.columns[c]); });
  return order;
}

std::optional<Problem> check_rows_alike(const RowPlan& from, const RowPlan& to) {
  if (from.columns.size() != to.columns.size()) {
    return no_table_order("both rows must have as many columns",
                          std::to_string(from.columns.size()) + " and " + std::to_string(to.columns.size()));
  }
  if (from.axes != to.axes) return no_table_order("both rows must have the same coordinates", "others");
  if (from.ladders != to.ladders) return no_table_order("both rows must have the same ladders", "others");
  if (from.phases != to.phases) return no_table_order("both rows must have the same phases", "others");
  if (!(from.scale == to.scale)) return no_table_order("both rows must have one scale", "two");
  if (from.absent != to.absent) return no_table_order("both must give an absent position the same row", "another");
  const std::vector<std::size_t> old_order = by_number(from), new_order = by_number(to);
  for (std::size_t i = 0; i < new_order.size(); ++i) {
    if (number_of(from.columns[old_order[i]]) == number_of(to.columns[new_order[i]])) continue;
    return no_table_order("each column must be one of the other row",
                          "columns " + std::to_string(old_order[i]) + " and " + std::to_string(new_order[i]));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> check_table_order(const Convention& from, const Convention& to, std::int64_t dim,
                                         const Options& options) {
  const DefaultEnvironment environment;
  const Context& context = options.context;
  if (auto problem = check_exact("table_order", options)) return problem;
  if (auto problem = check_context(context)) return problem;
  for (const Convention* each : {&from, &to}) {
    if (auto problem = check_use("table_order", ConventionUse::coordinates, *each)) return problem;
    if (auto problem = check_lower(*each, {.width = dim, .context = context})) return problem;
  }
  if (axes_of(from).size() > 1 && axes_of(from) != axes_of(to)) {
    return no_table_order("both rows must have the same axes in one order", "others");
  }
  return check_rows_alike(row_plan(from, dim, context), row_plan(to, dim, context));
}

std::vector<std::int64_t> detail::table_order(const Convention& from, const Convention& to, std::int64_t dim,
                                              const Context& context) {
  const DefaultEnvironment environment;
  const std::vector<std::size_t> old_order = by_number(row_plan(from, dim, context)),
                                 new_order = by_number(row_plan(to, dim, context));
  std::vector<std::int64_t> order(new_order.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[new_order[i]] = static_cast<std::int64_t>(old_order[i]);
  return order;
}

std::optional<Problem> check_reorder_columns(std::span<const std::int64_t> order, const ConstView& in,
                                             const View& out) {
  Match m("reorder_columns");
  std::vector<bool> seen(order.size());
  for (const std::int64_t c : order) {
    const bool is_new = c >= 0 && c < std::ssize(order) && !seen[static_cast<std::size_t>(c)];
    if (is_new) seen[static_cast<std::size_t>(c)] = true;
    m.must(is_new, {"the order must have each column once"}, {c});
  }
  m.also([&] { return check_output("reorder_columns", "out", out); });
  if (!m.ok()) return m.problem();
  m.must(out.rank > 0 && out.size(-1) == std::ssize(order), {"out must have ", std::ssize(order), " columns"},
         {out.rank > 0 ? out.size(-1) : 0});
  m.also([&] { return check_view("reorder_columns", "in", in); });
  if (!m.ok()) return m.problem();
  m.must(in.dtype == out.dtype && same_shape(in, out), {"in must have type and shape of out"}, {"others"});
  if (!m.ok()) return m.problem();
  return check_apart("reorder_columns", "in", in, "out", out);
}

void detail::reorder_columns(std::span<const std::int64_t> order, const ConstView& in, const View& out) {
  const std::size_t element = size_of(out.dtype);
  std::int64_t lines = 1;
  for (int axis = 0; axis + 1 < out.rank; ++axis) lines *= out.size(axis);
  for (std::int64_t line = 0; line < lines; ++line) {
    std::int64_t left = line, from = 0, to = 0;  // of the row's first elements
    for (int axis = out.rank - 2; axis >= 0; --axis) {
      from += left % out.size(axis) * in.stride(axis);
      to += left % out.size(axis) * out.stride(axis);
      left /= out.size(axis);
    }
    for (std::size_t c = 0; c < order.size(); ++c) {
      const auto at_in = static_cast<std::ptrdiff_t>(from + order[c] * in.stride(-1));
      const auto at_out = static_cast<std::ptrdiff_t>(to + static_cast<std::int64_t>(c) * out.stride(-1));
      std::memcpy(static_cast<std::byte*>(out.data) + at_out * static_cast<std::ptrdiff_t>(element),
                  static_cast<const std::byte*>(in.data) + at_in * static_cast<std::ptrdiff_t>(element), element);
    }
  }
}

}  // namespace posenc
