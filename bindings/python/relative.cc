// SPDX-License-Identifier: Apache-2.0
// Of pairs of positions: biases, classes, coordinates under a logarithm.
#include <nanobind/stl/vector.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>

#include "bindings/python/bind.h"
#include "bindings/python/calls.h"
#include "bindings/python/conventions.h"
#include "bindings/python/positions.h"

namespace posenc::python {
namespace {

// Of a Python call that states what is asked for and the convention alone.
KnownPtr known_for(std::string_view operation, ConventionUse use, nb::handle convention) {
  KnownPtr known = known_convention(operation, convention);
  require(check_use(operation, use, known->convention));
  return known;
}

void expect_heads(const View& out, std::int64_t heads) {
  if (out.rank == 3 && out.size(0) == heads) return;
  refuse("bias", "out must have shape [heads, L, S] of " + std::to_string(heads) + " heads",
         out.rank == 3 ? std::to_string(out.size(0)) + " heads" : std::to_string(out.rank) + " axes");
}

nb::object bias_rows(nb::handle convention, nb::handle heads, nb::handle queries, nb::handle keys, nb::handle head,
                     nb::handle present, nb::handle dtype, nb::handle out) {
  const KnownPtr known = known_for("bias", ConventionUse::slopes, convention);
  const std::int64_t number = integer("bias", "heads", heads);
  require(check_width(known->convention, number));
  const PositionArgument q = positions_of("bias", "queries", queries), k = positions_of("bias", "keys", keys);
  Context context = {.head = integer("bias", "head", head)};
  Input mask;
  if (!present.is_none()) {
    mask = integers("bias", "present", present);
    context.present = mask.view;
  }
  const std::int64_t shape[] = {number, q.positions.count_, k.positions.count_};
  Output to = output_or_fresh("bias", out, real_dtype("bias", dtype), shape);
  expect_heads(to.view, number);
  require(check_bias(known->convention, q.positions, k.positions, to.view, {.context = context}));
  call(to.view.count(), [&](const Executor& executor) {
    return detail::bias(known->convention, q.positions, k.positions, to.view,
                        {.executor = executor, .context = context});
  });
  return to.array;
}

nb::object slopes(nb::handle convention, nb::handle heads) {
  const KnownPtr known = known_for("bias_slopes", ConventionUse::slopes, convention);
  const std::int64_t count = integer("bias_slopes", "heads", heads);
  const std::vector<float> made =
      made_ready(count, worth_a_thread, [known, count] { return bias_slopes(known->convention, count); });
  const std::int64_t shape[] = {std::ssize(made)};
  const Output to = fresh("bias_slopes", DType::f32, shape);
  std::copy(made.begin(), made.end(), static_cast<float*>(to.view.data));
  return to.array;
}

nb::object bucket_classes(nb::handle convention, nb::handle queries, nb::handle keys, nb::handle dtype,
                          nb::handle out) {
  const KnownPtr known = known_for("buckets", ConventionUse::classes, convention);
  const PositionArgument q = positions_of("buckets", "queries", queries), k = positions_of("buckets", "keys", keys);
  const std::int64_t shape[] = {q.positions.count_, k.positions.count_};
  Output to = output_or_fresh("buckets", out, whole_dtype("buckets", dtype), shape);
  require(check_buckets(known->convention, q.positions, k.positions, to.view));
  call(to.view.count(), [&](const Executor& executor) {
    detail::buckets(known->convention, q.positions, k.positions, to.view, executor);
    return std::optional<Problem>();
  });
  return to.array;
}

nb::object window_classes(nb::handle convention, nb::handle height, nb::handle width, nb::handle dtype,
                          nb::handle out) {
  const KnownPtr known = known_for("window_buckets", ConventionUse::windows, convention);
  const GridSize window = {integer("window_buckets", "height", height), integer("window_buckets", "width", width)};
  constexpr std::int64_t most = std::int64_t{1} << 15;  // sides whose places and classes are far from any end of int64
  if (window.height < 1 || window.width < 1 || window.height > most || window.width > most) {
    refuse("window_buckets", "height and width must be 1 to 32768",
           std::to_string(window.height) + " x " + std::to_string(window.width));
  }
  const std::int64_t places = window_places(known->convention, window), shape[] = {places, places};
  Output to = output_or_fresh("window_buckets", out, whole_dtype("window_buckets", dtype), shape);
  require(check_window_buckets(known->convention, window, to.view));
  call(to.view.count(), [&](const Executor& executor) {
    detail::window_buckets(known->convention, window, to.view, executor);
    return std::optional<Problem>();
  });
  return to.array;
}

nb::object log_places(nb::handle convention, nb::handle height, nb::handle width, nb::handle dtype, nb::handle out) {
  const KnownPtr known = known_for("log_coordinates", ConventionUse::log_coordinates, convention);
  const std::int64_t lines = integer("log_coordinates", "height", height);
  const std::int64_t columns = integer("log_coordinates", "width", width);
  constexpr std::int64_t most = std::int64_t{1} << 15;
  if (lines < 1 || columns < 1 || lines > most || columns > most) {
    refuse("log_coordinates", "height and width must be 1 to 32768",
           std::to_string(lines) + " x " + std::to_string(columns));
  }
  const std::int64_t shape[] = {2 * lines - 1, 2 * columns - 1, 2};
  Output to = output_or_fresh("log_coordinates", out, real_dtype("log_coordinates", dtype), shape);
  const bool is_asked = to.view.rank == 3 && std::equal(shape, shape + 3, to.view.shape.begin());
  if (!is_asked) refuse("log_coordinates", "out must have shape [2 height - 1, 2 width - 1, 2]", "another shape");
  require(check_log_coordinates(known->convention, to.view));
  call(to.view.count(),
       [&](const Executor& executor) { return detail::log_coordinates(known->convention, to.view, executor); });
  return to.array;
}

}  // namespace

void bind_relative(nb::module_& module) {
  module.def("bias", &bias_rows);
  module.def("bias_slopes", &slopes);
  module.def("buckets", &bucket_classes);
  module.def("window_buckets", &window_classes);
  module.def("log_coordinates", &log_places);
}

}  // namespace posenc::python
