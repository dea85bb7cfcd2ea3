// SPDX-License-Identifier: Apache-2.0
// Of stored tables: which row a position takes, and tables made for images of other extents.
#include <posenc/learned.h>
#include <posenc/resize.h>

#include "bindings/python/bind.h"
#include "bindings/python/calls.h"
#include "bindings/python/conventions.h"
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

// A last axis of T for T > 1 tables, where several axes have a table each: of no position at all, either is refused.
std::vector<std::int64_t> rows_shape(const Convention& convention, const CoordinateArgument& at) {
  std::vector<std::int64_t> shape = at.shape();
  const std::vector<Positions> nowhere(at.lists().size(), Positions::range(0, 0));
  const View row_each = view(static_cast<std::int64_t*>(nullptr), {0});
  if (check_learned_rows(convention, nowhere, row_each)) shape.push_back(std::ssize(at.lists()));
  return shape;
}

nb::object rows_of(nb::handle convention, nb::handle positions, nb::handle dtype, nb::handle out) {
  const KnownPtr known = known_convention("learned_rows", convention);
  require(check_use("learned_rows", ConventionUse::stored_rows, known->convention));
  const CoordinateArgument at("learned_rows", "positions", positions, axes_of(known->convention));
  Output to =
      output_or_fresh("learned_rows", out, whole_dtype("learned_rows", dtype), rows_shape(known->convention, at));
  call(to.view.count(), [&](const Executor& executor) {
    std::optional<Problem> problem = check_learned_rows(known->convention, at.lists(), to.view, {.executor = executor});
    if (!problem) detail::learned_rows(known->convention, at.lists(), to.view, executor);
    return problem;
  });
  return to.array;
}

GridSize size_of_table(std::string_view name, nb::handle size) {
  const std::vector<std::int64_t> sides = integer_list("resize_table", name, size);
  if (sides.size() != 2) {
    refuse("resize_table", std::string(name) + " must be (height, width)", std::to_string(sides.size()) + " numbers");
  }
  for (const std::int64_t side : sides) {
    if (side >= 1 && side <= std::int64_t{1} << 11) continue;
    refuse("resize_table", std::string(name) + " must have sides of 1 to 2048", std::to_string(side));
  }
  return {sides[0], sides[1]};
}

nb::object resized(nb::handle convention, nb::handle table, nb::handle to_size, nb::handle from_size, nb::handle out) {
  const KnownPtr known = known_convention("resize_table", convention);
  require(check_use("resize_table", ConventionUse::resized_tables, known->convention));
  const Input rows = input("resize_table", "table", table);
  if (rows.view.rank != 2)
    refuse("resize_table", "table must have shape [rows, d]", std::to_string(rows.view.rank) + " axes");
  const GridSize from =
      from_size.is_none() ? square_table(known->convention, rows.view) : size_of_table("source", from_size);
  const GridSize target = size_of_table("size", to_size);
  ConstView like = rows.view;
  like.shape[0] = table_rows(known->convention, target);
  Output made = out.is_none() ? fresh("resize_table", like.dtype, std::span(like.shape.data(), 2))
                              : output("resize_table", "out", out);
  require(check_resize_table(known->convention, rows.view, from, target, made.view));
  call(made.view.count(), [&](const Executor& executor) {
    detail::resize_table(known->convention, rows.view, from, target, made.view, executor);
    return std::optional<Problem>();
  });
  return made.array;
}

}  // namespace

void bind_stored(nb::module_& module) {
  module.def("learned_rows", &rows_of);
  module.def("resize_table", &resized);
}

}  // namespace posenc::python
