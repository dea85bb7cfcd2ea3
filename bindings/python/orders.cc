// SPDX-License-Identifier: Apache-2.0
// Columns of heads and of tables moved from one convention to another, and the proofs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <posenc/referee/head_order.h>
#include <posenc/referee/table_order.h>

#include "bindings/python/apart.h"
#include "bindings/python/arrays.h"
#include "bindings/python/bind.h"
#include "bindings/python/conventions.h"

namespace posenc::python {
namespace {

// Two conventions, as they are when no lock of Python is held.
struct Two {
  KnownPtr from, to;
};
Two two(std::string_view operation, nb::handle from, nb::handle to) {
  return {known_convention(operation, from), known_convention(operation, to)};
}

HeadOrder order_of(std::string_view operation, nb::handle order) {
  return {integer_list(operation, "read", item_at(order, 0)), integer_list(operation, "written", item_at(order, 1))};
}

constexpr std::string_view holders[] = {"query", "key", "value"};

// (groups, [(what, heads), ..])
Projection projection_of(std::string_view operation, nb::handle projection) {
  Projection made = {integer(operation, "groups", item_at(projection, 0)), {}};
  const nb::object runs = item_at(projection, 1);
  for (std::size_t i = 0; i < nb::len(runs); ++i) {
    const nb::object run = item_at(runs, i);
    made.runs.push_back({word_of<Holds>(operation, "a run of heads", item_at(run, 0), holders),
                         integer(operation, "heads", item_at(run, 1))});
  }
  return made;
}

std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>> head_order_of(nb::handle from, nb::handle to,
                                                                              nb::handle head, nb::handle context) {
  const Two both = two("head_order", from, to);
  const std::int64_t columns = integer("head_order", "head", head);
  const Context given = context_of("head_order", context);
  const HeadOrder order = made_apart(nullptr, [=](const Executor&) {
    return head_order(both.from->convention, both.to->convention, columns, {.context = given});
  });
  return {order.read, order.written};
}

// The bytes of rows that follow each other.
template <class Byte, class V>
std::span<Byte> bytes_of(std::string_view name, const V& view) {
  std::int64_t next = 1;
  for (int axis = view.rank - 1; axis >= 0; --axis) {
    if (view.size(axis) != 1 && view.stride(axis) != next && view.count() > 0) {
      refuse("reorder_rows", std::string(name) + " must be contiguous, a row after another",
             "strides of another order");
    }
    next *= view.size(axis);
  }
  return {static_cast<Byte*>(view.data), static_cast<std::size_t>(view.count() * size_of(view.dtype))};
}

// An array that is read and one that is written.
struct Moved {
  Input in;
  Output out;
};

nb::object rows_reordered(nb::handle order, nb::handle projection, nb::handle array, nb::handle out) {
  const auto moved = std::make_shared<Moved>();
  const HeadOrder by = order_of("reorder_rows", order);
  const Projection of = projection_of("reorder_rows", projection);
  moved->in = input("reorder_rows", "x", array);
  const auto from = bytes_of<const std::byte>("x", moved->in.view);
  moved->out = output_or_like("reorder_rows", out, array, moved->in.view);
  const bool alike = moved->out.view.dtype == moved->in.view.dtype;
  if (!alike) refuse("reorder_rows", "out must have the type of x", std::string(to_string(moved->out.view.dtype)));
  const auto to = bytes_of<std::byte>("out", moved->out.view);
  const nb::object result = moved->out.array;
  require(check_reorder_rows(by, of, from, to));
  run_apart([=](const Executor&) { detail::reorder_rows(by, of, from, to); }, moved);
  return result;
}

nb::object head_order_proven(nb::handle from, nb::handle to, nb::handle order, nb::handle projections,
                             nb::handle context, nb::handle seed) {
  constexpr std::string_view operation = "prove_head_order";
  const Two both = two(operation, from, to);
  const HeadOrder by = order_of(operation, order);
  const Context given = context_of(operation, context);
  const std::uint64_t from_seed = natural(operation, "seed", seed, 64);
  std::vector<Projection> all;
  for (std::size_t i = 0; i < nb::len(projections); ++i) {
    all.push_back(projection_of(operation, item_at(projections, i)));
  }
  const HeadProof proof = made_apart(nullptr, [=](const Executor&) {
    return prove_head_order(both.from->convention, both.to->convention, by, all, from_seed, {.context = given});
  });
  return nb::make_tuple(proof.holds, proof.heads, proof.columns, proof.positions, nb::cast(proof.parted),
                        proof.difference, proof.bound);
}

std::vector<std::int64_t> table_order_of(nb::handle from, nb::handle to, nb::handle dim, nb::handle context) {
  const Two both = two("table_order", from, to);
  const std::int64_t width = integer("table_order", "dim", dim);
  const Context given = context_of("table_order", context);
  return made_apart(nullptr, [=](const Executor&) {
    return table_order(both.from->convention, both.to->convention, width, {.context = given});
  });
}

nb::object columns_reordered(nb::handle order, nb::handle array, nb::handle out) {
  const auto moved = std::make_shared<Moved>();
  const std::vector<std::int64_t> by = integer_list("reorder_columns", "order", order);
  moved->in = input("reorder_columns", "x", array);
  moved->out = output_or_like("reorder_columns", out, array, moved->in.view);
  const nb::object result = moved->out.array;
  const ConstView from = moved->in.view;
  const View to = moved->out.view;
  require(check_reorder_columns(by, from, to));
  run_apart([=](const Executor&) { detail::reorder_columns(by, from, to); }, moved);
  return result;
}

nb::object table_proven(nb::handle convention, nb::handle first, nb::handle table, nb::handle context) {
  const auto held = std::make_shared<Input>(input("prove_table", "table", table));
  const KnownPtr known = known_convention("prove_table", convention);
  const std::int64_t from = integer("prove_table", "first", first);
  const Context given = context_of("prove_table", context);
  const TableProof proof = made_apart(held, [=, view = held->view](const Executor&) {
    return prove_table(known->convention, from, view, {.context = given});
  });
  const nb::object outside =
      proof.outside ? nb::object(nb::make_tuple((*proof.outside)[0], (*proof.outside)[1])) : nb::none();
  return nb::make_tuple(proof.entries, proof.equal, proof.furthest, outside);
}

}  // namespace

void bind_orders(nb::module_& module) {
  module.def("head_order", &head_order_of);
  module.def("reorder_rows", &rows_reordered);
  module.def("prove_head_order", &head_order_proven);
  module.def("table_order", &table_order_of);
  module.def("reorder_columns", &columns_reordered);
  module.def("prove_table", &table_proven);
}

}  // namespace posenc::python
