// SPDX-License-Identifier: Apache-2.0
// Rows of stored tables, place by place.
#include <posenc/learned.h>

#include <algorithm>
#include <limits>

#include "src/base/blocks.h"
#include "src/conventions/lower.h"
#include "src/encodings/integers.h"
#include "src/encodings/rules.h"

namespace posenc {
namespace {

// A row, or which rule has none.
struct Row {
  std::int64_t row = no_row;
  std::string_view broken = {};
};

Row within(const plan::IndexPlan& plan, std::size_t table, std::int64_t row) {
  const bool wraps = plan.beyond == plan::Beyond::from_zero;
  if (row < 0 && !wraps) return {no_row, "rows must be 0 or more"};
  if (plan.rows.empty()) return {row};
  const std::int64_t rows = plan.rows[table];
  if (row < rows && row >= 0) return {row};
  switch (plan.beyond) {
    case plan::Beyond::last: return {rows - 1};
    case plan::Beyond::no_row: return {no_row};
    case plan::Beyond::from_zero: return {row % rows < 0 ? row % rows + rows : row % rows};
    default: return {no_row, "rows must be in the table"};
  }
}

// Row of table `table` for the coordinates of a place.
Row row_of(const plan::IndexPlan& plan, std::size_t table, std::span<const std::int64_t> at) {
  std::int64_t row = at[table];
  if (plan.columns != 0) {
    if (at[1] < 0 || at[1] >= plan.columns) return {no_row, "second coordinates must be within the columns"};
    if (__builtin_mul_overflow(at[0], plan.columns, &row) || __builtin_add_overflow(row, at[1], &row)) {
      return {no_row, "rows must be int64"};
    }
  }
  if (__builtin_add_overflow(row, plan.offset, &row)) return {no_row, "rows must be int64"};
  return within(plan, table, row);
}

Problem learned_problem(std::string_view rule, std::string value, std::vector<std::int64_t> index = {}) {
  return {"learned_rows", std::string(rule), std::move(value), std::move(index)};
}

std::string list_text(std::span<const std::int64_t> at) {
  return at.size() == 1 ? std::to_string(at[0]) : "[" + listed(at, [](auto x) { return std::to_string(x); }) + "]";
}

std::optional<Problem> check_shapes(const plan::IndexPlan& plan, std::span<const Positions> axes, const View& out) {
  if (std::ssize(axes) != plan.axes) {
    return learned_problem("there must be a list of positions for each of " + std::to_string(plan.axes) + " axes",
                           std::to_string(axes.size()));
  }
  for (const Positions& each : axes) {
    if (auto problem = check_positions("learned_rows", each)) return problem;
    const bool alike = each.count_ == axes[0].count_ && rank(each) == rank(axes[0]) &&
                       (rank(each) == 1 || each.list_.size(0) == axes[0].list_.size(0));
    if (!alike) return learned_problem("the lists of all axes must have one shape", std::to_string(each.count_));
  }
  const bool several = plan.tables() > 1;
  const int places = out.rank - (several ? 1 : 0);
  const bool right = places == rank(axes[0]) && out.size(places - 1) == axes[0].count_ &&
                     (places == 1 || out.size(0) == axes[0].list_.size(0)) &&
                     (!several || out.size(-1) == plan.tables());
  if (right) return std::nullopt;
  return learned_problem(several ? "out must have the shape of the positions and a last axis of " +
                                       std::to_string(plan.tables()) + " tables"
                                 : "out must have the shape of the positions",
                         shape_text(out));
}

// Places of the lists, numbered from the first of sequence 0 to the last of the last.
struct Places {
  std::int64_t sequences, length;
  bool batched;
  explicit Places(std::span<const Positions> axes)
      : sequences(rank(axes[0]) == 2 ? axes[0].list_.size(0) : 1),
        length(axes[0].count_),
        batched(rank(axes[0]) == 2) {}
  std::int64_t count() const { return sequences * length; }
};
constexpr std::int64_t places_of_a_block = std::int64_t{1} << 14;  // less than a millisecond

// `at` is memory for the coordinates of a place.
std::optional<Problem> check_place(const plan::IndexPlan& plan, std::span<const Positions> axes, const View& out,
                                   std::int64_t b, std::int64_t t, std::span<std::int64_t> at) {
  const auto index = [&] { return rank(axes[0]) == 2 ? std::vector{b, t} : std::vector{t}; };
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::optional<std::int64_t> p = integer_at(axes[axis], b, t);
    if (!p) return learned_problem("positions must be integers", "another", index());
    at[axis] = *p;
  }
  for (std::int64_t table = 0; table < plan.tables(); ++table) {
    const Row found = row_of(plan, static_cast<std::size_t>(table), at);
    if (!found.broken.empty()) return learned_problem(found.broken, "position " + list_text(at), index());
    if (out.dtype == DType::i32 && found.row > std::numeric_limits<std::int32_t>::max()) {
      return learned_problem("out must be i64 for rows beyond int32", std::to_string(found.row), index());
    }
  }
  return std::nullopt;
}

// Of the first place that has one.
std::optional<Problem> check_all_places(const plan::IndexPlan& plan, std::span<const Positions> axes, const View& out,
                                        const Executor& executor) {
  const Places places(axes);
  const auto check_with = [&](std::vector<std::int64_t>& at) {
    return [&](std::int64_t i) { return check_place(plan, axes, out, i / places.length, i % places.length, at); };
  };
  FirstWrong wrong(places.count());
  for_blocks(executor, places.count(), places_of_a_block, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> at(axes.size());
    wrong.look(begin, end, check_with(at));
  });
  std::vector<std::int64_t> at(axes.size());
  return wrong.problem(check_with(at));
}

}  // namespace

std::optional<Problem> check_learned_rows(const Convention& convention, std::span<const Positions> axes,
                                          const View& out, const Options& options) {
  if (auto problem = check_use("learned_rows", ConventionUse::stored_rows, convention)) return problem;
  if (auto problem = check_exact("learned_rows", options)) return problem;
  if (auto problem = check_lower(convention, {})) return problem;
  if (auto problem = check_integer_out("learned_rows", out)) return problem;
  const plan::IndexPlan plan = lower_index(convention);
  if (plan.rows.empty() && plan.beyond != plan::Beyond::refused) {
    return learned_problem("rows must be stated where past_end is no error", "none");
  }
  if (auto problem = check_shapes(plan, axes, out)) return problem;
  if (auto problem = check_lists("learned_rows", axes, out)) return problem;
  return check_all_places(plan, axes, out, options.executor);
}

namespace detail {

void learned_rows(const Convention& convention, std::span<const Positions> axes, const View& out,
                  const Executor& executor) {
  const plan::IndexPlan plan = lower_index(convention);
  const Places places(axes);
  const bool several = plan.tables() > 1;
  with_integer(out.dtype, [&]<class T>(T) {
    for_blocks(executor, places.count(), places_of_a_block, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> at(axes.size());
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t b = i / places.length, t = i % places.length;
        for (std::size_t axis = 0; axis < axes.size(); ++axis) at[axis] = *integer_at(axes[axis], b, t);
        const std::int64_t place = places.batched ? b * out.stride(0) + t * out.stride(1) : t * out.stride(0);
        for (std::int64_t table = 0; table < plan.tables(); ++table) {
          const Row found = row_of(plan, static_cast<std::size_t>(table), at);
          static_cast<T*>(out.data)[place + (several ? table * out.stride(-1) : 0)] = static_cast<T>(found.row);
        }
      }
    });
  });
}

}  // namespace detail
}  // namespace posenc
