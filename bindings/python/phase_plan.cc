// SPDX-License-Identifier: Apache-2.0
// What graphs compute of a convention under the recipe `phase`.
#include <posenc/phase_plan.h>

#include "bindings/python/bind.h"
#include "bindings/python/calls.h"
#include "bindings/python/conventions.h"

namespace posenc::python {
namespace {

// (axes, [(words, start)], [(kind, quarter, number)], scale); kinds: 0 constant, 1 coordinate, 2 wave.
nb::tuple tuple_of(const PhasePlan& plan) {
  nb::list axes, angles, columns;
  for (const std::string& axis : plan.axes) axes.append(axis);
  for (const auto& [words, start] : plan.angles) {
    nb::list of_axes;
    for (const std::uint64_t word : words) of_axes.append(word);
    angles.append(nb::make_tuple(of_axes, start));
  }
  for (const auto& [kind, quarter, number] : plan.columns) {
    columns.append(nb::make_tuple(static_cast<int>(kind) - 1, static_cast<int>(quarter), number));
  }
  return nb::make_tuple(axes, angles, columns, static_cast<double>(plan.scale));
}

nb::tuple plan_of_rows(nb::handle convention, nb::handle dim, nb::handle context) {
  const KnownPtr known = known_convention("rows", convention);
  return tuple_of(phase_plan_of_rows(known->convention, integer("rows", "dim", dim), context_of("rows", context)));
}

nb::tuple plan_of_rotation(nb::handle convention, nb::handle head, nb::handle context) {
  const KnownPtr known = known_convention("rotary", convention);
  const std::int64_t width = integer("rotary", "head", head);
  return tuple_of(phase_plan_of_rotation(known->convention, width, context_of("rotary", context)));
}

}  // namespace

void bind_phase_plan(nb::module_& module) {
  module.def("phase_plan_of_rows", &plan_of_rows);
  module.def("phase_plan_of_rotation", &plan_of_rotation);
}

}  // namespace posenc::python
