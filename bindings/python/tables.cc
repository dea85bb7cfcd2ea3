// SPDX-License-Identifier: Apache-2.0
// Rows of position tables: of one axis, of several, of a grid, of steps; factors of queries.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <posenc/grid.h>
#include <posenc/query_scale.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include "bindings/python/bind.h"
#include "bindings/python/calls.h"
#include "bindings/python/conventions.h"
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

HandleKey key_of(std::string_view operation, nb::handle convention, nb::handle width, nb::handle recipe,
                 nb::handle context) {
  KnownPtr known = known_convention(operation, convention);
  const Recipe& arithmetic = recipe_of(operation, recipe, *known);
  return {std::move(known), integer(operation, "dim", width), &arithmetic, context_of(operation, context)};
}

// Columns of a row, before rows of that width are made ready: a result that has no memory is refused at once.
std::int64_t columns_of(const HandleKey& key) {
  require(Rows::check(key.known->convention, key.width, {.recipe = *key.recipe, .context = key.context}));
  return columns(key.known->convention, key.width);
}

// Rows that are asked for, and where they go.
struct Asked {
  PositionArgument at;
  Output to;
};

Asked asked(std::string_view operation, std::int64_t width, nb::handle positions, nb::handle dtype, nb::handle out) {
  PositionArgument at = positions_of(operation, "positions", positions);
  const DType type = real_dtype(operation, dtype);
  Output to = output_or_fresh(operation, out, type, at.shape_with(width));
  return {std::move(at), std::move(to)};
}

nb::object write_rows(const Rows& rows, const Asked& asked) {
  const auto& [at, to] = asked;
  require(rows.check_write(at.positions, to.view));
  call(to.view.count(), [&](const Executor& executor) { return rows.write_checked(at.positions, to.view, executor); });
  return to.array;
}

nb::object write_key(std::string_view operation, const HandleKey& key, nb::handle positions, nb::handle dtype,
                     nb::handle out) {
  if (const auto made = latest<Rows>().find(key)) {
    return write_rows(*made, asked(operation, made->width(), positions, dtype, out));
  }
  const Asked to = asked(operation, columns_of(key), positions, dtype, out);
  return write_rows(handle_of<Rows>(key), to);
}

// The same of several axes.
struct AskedPlaces {
  CoordinateArgument at;
  Output to;
};

AskedPlaces asked(std::int64_t width, const std::vector<std::string>& axes, nb::handle coordinates, nb::handle dtype,
                  nb::handle out) {
  CoordinateArgument at("coordinates", "coordinates", coordinates, axes);
  const DType type = real_dtype("coordinates", dtype);
  Output to = output_or_fresh("coordinates", out, type, at.shape_with(width));
  return {std::move(at), std::move(to)};
}

nb::object write_coordinates(const Rows& rows, const AskedPlaces& asked) {
  const auto& [at, to] = asked;
  require(rows.check_write(at.lists(), to.view));
  call(to.view.count(), [&](const Executor& executor) { return rows.write_checked(at.lists(), to.view, executor); });
  return to.array;
}

nb::object table(nb::handle convention, nb::handle dim, nb::handle positions, nb::handle dtype, nb::handle recipe,
                 nb::handle context, nb::handle out) {
  const HandleKey key = key_of("table", convention, dim, recipe, context);
  require(check_use("sinusoid", ConventionUse::rows, key.known->convention));
  return write_key("table", key, positions, dtype, out);
}

nb::object timestep_rows(nb::handle convention, nb::handle dim, nb::handle steps, nb::handle dtype, nb::handle recipe,
                         nb::handle context, nb::handle out) {
  const HandleKey key = key_of("timestep", convention, dim, recipe, context);
  require(check_use("timestep", ConventionUse::timesteps, key.known->convention));
  return write_key("timestep", key, steps, dtype, out);
}

nb::object coordinates(nb::handle convention, nb::handle dim, nb::handle lists, nb::handle dtype, nb::handle recipe,
                       nb::handle context, nb::handle out) {
  const HandleKey key = key_of("coordinates", convention, dim, recipe, context);
  if (const auto made = latest<Rows>().find(key)) {
    return write_coordinates(*made, asked(made->width(), made->axes(), lists, dtype, out));
  }
  const std::int64_t width = columns_of(key);
  const AskedPlaces to = asked(width, axes_of(key.known->convention), lists, dtype, out);
  return write_coordinates(handle_of<Rows>(key), to);
}

nb::object grid_rows(nb::handle convention, nb::handle dim, nb::handle extents, nb::handle dtype, nb::handle recipe,
                     nb::handle context, nb::handle places, nb::handle out) {
  const HandleKey key = key_of("grid", convention, dim, recipe, context);
  require(check_use("grid", ConventionUse::cells, key.known->convention));
  const PlaceNumbering numbering = cell_places_of("grid", places, *key.known);
  const Rows rows = handle_of<Rows>(key);
  std::vector<std::int64_t> shape = integer_list("grid", "extents", extents);
  const DType type = real_dtype("grid", dtype);
  require(GridChunks::check(rows, shape, type, numbering));
  shape.push_back(rows.width());
  Output to = output_or_fresh("grid", out, type, shape);
  const bool is_asked =
      to.view.rank == std::ssize(shape) && std::equal(shape.begin(), shape.end(), to.view.shape.begin());
  if (!is_asked) refuse("grid", "out must have the extents and the width of the grid", "another shape");
  require(rows.check_write_cells(to.view, numbering));
  call(to.view.count(),
       [&](const Executor& executor) { return rows.write_cells_checked(to.view, numbering, executor); });
  return to.array;
}

nb::object query_scales(nb::handle convention, nb::handle positions, nb::handle dtype, nb::handle out) {
  const KnownPtr known = known_convention("query_scale", convention);
  require(check_use("query_scale", ConventionUse::query_scales, known->convention));
  const PositionArgument at = positions_of("query_scale", "positions", positions);
  const DType type = real_dtype("query_scale", dtype);
  Output to = output_or_fresh("query_scale", out, type, at.shape());
  require(check_query_scale(known->convention, at.positions, to.view));
  call(to.view.count(), [&](const Executor& executor) {
    return detail::query_scale(known->convention, at.positions, to.view, executor);
  });
  return to.array;
}

// ---- Rows ----------------------------------------------------------------------------------------------------------

nb::object add_rows(const Rows& self, nb::handle positions, nb::handle x, nb::handle out) {
  if (self.axes().size() > 1) refuse("add", "convention must have one axis", std::to_string(self.axes().size()));
  const PositionArgument at = positions_of("add", "positions", positions);
  const Input from = input("add", "x", x);
  Output to = output_or_like("add", out, x, from.view);
  require(told_of("x", out, self.check_add(at.positions, from.view, to.view)));
  call(to.view.count(),
       [&](const Executor& executor) { return self.add_checked(at.positions, from.view, to.view, executor); });
  return to.array;
}

}  // namespace

void bind_tables(nb::module_& module) {
  module.def("table", &table);
  module.def("timestep", &timestep_rows);
  module.def("coordinates", &coordinates);
  module.def("grid", &grid_rows);
  module.def("query_scale", &query_scales);
  nb::class_<Rows>(module, "Rows")
      .def("__init__",
           [](Rows* self, nb::handle convention, nb::handle dim, nb::handle recipe, nb::handle context) {
             new (self) Rows(handle_of<Rows>(key_of("rows", convention, dim, recipe, context)));
           })
      .def("width", &Rows::width)
      .def("frequencies",
           [](const Rows& self) {
             if (self.axes().size() > 1) refuse("frequencies", "convention must have one axis", "several");
             return list_of(frequencies_of(self));
           })
      .def("write",
           [](const Rows& self, nb::handle positions, nb::handle dtype, nb::handle out) {
             if (self.axes().size() == 1) return write_rows(self, asked("table", self.width(), positions, dtype, out));
             return write_coordinates(self, asked(self.width(), self.axes(), positions, dtype, out));
           })
      .def("add", &add_rows);
}

}  // namespace posenc::python
