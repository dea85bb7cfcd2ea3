// SPDX-License-Identifier: Apache-2.0
// The table of operations: the shape, the check and the call behind each use.
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/learned.h>
#include <posenc/log_coordinates.h>
#include <posenc/operation.h>
#include <posenc/query_scale.h>
#include <posenc/rotary.h>
#include <posenc/rows.h>

#include <algorithm>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"

namespace posenc {
namespace {

using Shape = std::vector<std::int64_t>;
using Inputs = OperationInputs;
using Problems = std::optional<Problem>;

Problem lists_problem(std::string_view operation, std::size_t asked, std::size_t got) {
  return {std::string(operation), "positions must be " + std::to_string(asked) + (asked == 1 ? " list" : " lists"),
          std::to_string(got)};
}
Shape shape_of_places(const Convention&, const Inputs& inputs) { return {inputs.lists[0].count_}; }
Shape shape_of_pairs(const Convention&, const Inputs& inputs) {
  return {inputs.lists[0].count_, inputs.lists[1].count_};
}

// ---- rows and rotations --------------------------------------------------------------------------

Shape shape_of_rows(const Convention& convention, const Inputs& inputs) {
  return {inputs.lists[0].count_, columns(convention, inputs.dim)};
}
Problems check_rows(const Convention& convention, const Inputs& inputs, const View& out) {
  if (auto problem = Rows::check(convention, inputs.dim, inputs.options)) return problem;
  return Rows(convention, inputs.dim, inputs.options).check_write(inputs.lists, out);
}
Problems write_rows(const Convention& convention, const Inputs& inputs, const View& out) {
  return Rows(convention, inputs.dim, inputs.options).write_checked(inputs.lists, out, inputs.options.executor);
}

Shape shape_of_heads(const Convention&, const Inputs& inputs) { return {inputs.lists[0].count_, inputs.dim}; }
Problems check_heads(const Convention& convention, const Inputs& inputs, const View& out) {
  if (auto problem = RotaryRows::check(convention, inputs.dim, inputs.options)) return problem;
  const Rotated all[] = {Rotated(out, RotatedSide::query, TokenAxis::before_columns)};
  return RotaryRows(convention, inputs.dim, inputs.options).check_rotate(inputs.lists, all);
}
Problems turn_heads(const Convention& convention, const Inputs& inputs, const View& out) {
  const Rotated all[] = {Rotated(out, RotatedSide::query, TokenAxis::before_columns)};
  return RotaryRows(convention, inputs.dim, inputs.options)
      .rotate_checked(inputs.lists, all, Direction::forward, inputs.options.executor);
}

// ---- pairs of positions --------------------------------------------------------------------------

// Returns the options of a bias. If it counts present keys and the context states none, all keys are present: one
// number that is read for each of them.
Options bias_options(const Convention& convention, const Inputs& inputs) {
  static constexpr std::int32_t present = 1;
  Options options = inputs.options;
  const LoweredFor given = {.width = options.context.head, .heads = inputs.dim};
  if (options.context.present.data != nullptr || check_lower(convention, given)) return options;
  if (lower_heads(convention, given).keys != plan::Keys::present) return options;
  options.context.present = view(&present, {inputs.lists[1].count_});
  options.context.present.strides[0] = 0;
  return options;
}

Shape shape_of_biases(const Convention&, const Inputs& inputs) {
  return {inputs.dim, inputs.lists[0].count_, inputs.lists[1].count_};
}
Problems check_biases(const Convention& convention, const Inputs& inputs, const View& out) {
  if (inputs.lists.size() != 2) return lists_problem("bias", 2, inputs.lists.size());
  if (out.rank == 3 && out.size(0) != inputs.dim) {
    return Problem{"bias", "out must have " + std::to_string(inputs.dim) + " heads, as dim says", shape_text(out)};
  }
  return check_bias(convention, inputs.lists[0], inputs.lists[1], out, bias_options(convention, inputs));
}
Problems write_biases(const Convention& convention, const Inputs& inputs, const View& out) {
  return detail::bias(convention, inputs.lists[0], inputs.lists[1], out, bias_options(convention, inputs));
}

Problems check_classes(const Convention& convention, const Inputs& inputs, const View& out) {
  if (inputs.lists.size() != 2) return lists_problem("buckets", 2, inputs.lists.size());
  return check_buckets(convention, inputs.lists[0], inputs.lists[1], out, inputs.options);
}
Problems write_classes(const Convention& convention, const Inputs& inputs, const View& out) {
  detail::buckets(convention, inputs.lists[0], inputs.lists[1], out, inputs.options.executor);
  return std::nullopt;
}

// ---- windows -------------------------------------------------------------------------------------

Shape shape_of_window(const Convention& convention, const Inputs& inputs) {
  const std::int64_t places = window_places(convention, inputs.window);
  return {places, places};
}
Problems check_window(const Convention& convention, const Inputs& inputs, const View& out) {
  return check_window_buckets(convention, inputs.window, out, inputs.options);
}
Problems write_window(const Convention& convention, const Inputs& inputs, const View& out) {
  detail::window_buckets(convention, inputs.window, out, inputs.options.executor);
  return std::nullopt;
}

Shape shape_of_coordinates(const Convention&, const Inputs& inputs) {
  return {2 * inputs.window.height - 1, 2 * inputs.window.width - 1, 2};
}
Problems check_coordinates(const Convention& convention, const Inputs& inputs, const View& out) {
  return check_log_coordinates(convention, out, inputs.options);
}
Problems write_coordinates(const Convention& convention, const Inputs& inputs, const View& out) {
  return detail::log_coordinates(convention, out, inputs.options.executor);
}

// ---- lists ---------------------------------------------------------------------------------------

Problems check_factors(const Convention& convention, const Inputs& inputs, const View& out) {
  if (inputs.lists.size() != 1) return lists_problem("query_scale", 1, inputs.lists.size());
  return check_query_scale(convention, inputs.lists[0], out, inputs.options);
}
Problems write_factors(const Convention& convention, const Inputs& inputs, const View& out) {
  return detail::query_scale(convention, inputs.lists[0], out, inputs.options.executor);
}

// Several tables have a column each.
Shape shape_of_stored(const Convention& convention, const Inputs& inputs) {
  const std::int64_t tables = lower_index(convention).tables(), count = inputs.lists[0].count_;
  return tables > 1 ? Shape{count, tables} : Shape{count};
}
Problems check_stored(const Convention& convention, const Inputs& inputs, const View& out) {
  return check_learned_rows(convention, inputs.lists, out, inputs.options);
}
Problems write_stored(const Convention& convention, const Inputs& inputs, const View& out) {
  detail::learned_rows(convention, inputs.lists, out, inputs.options.executor);
  return std::nullopt;
}

// ---- the table -----------------------------------------------------------------------------------

struct OperationRow {
  Operation facts;
  // Returns the shape of the output, for inputs that check_shape_of_numbers admits.
  Shape (*shape)(const Convention& convention, const Inputs& inputs);
  // Returns the problem of the call behind `write`, or nothing.
  Problems (*check)(const Convention& convention, const Inputs& inputs, const View& out);
  // Writes what the check admits.
  Problems (*write)(const Convention& convention, const Inputs& inputs, const View& out);
};

using enum OperationReads;
constexpr std::string_view of_places[] = {"place"}, of_pairs[] = {"query", "key"},
                           of_heads[] = {"head", "query", "key"}, of_cells[] = {"dy", "dx"};
constexpr OperationRow rows_of_operations[] = {
    {{ConventionUse::coordinates, "entries", "entries of rows", places, ElementKind::reals, of_places, "column",
      DimCounts::columns},
     shape_of_rows,
     check_rows,
     write_rows},
    {{ConventionUse::rotations, "rotations", "rotations", places, ElementKind::reals, of_places, "column",
      DimCounts::columns},
     shape_of_heads,
     check_heads,
     turn_heads},
    {{ConventionUse::slopes, "biases", "biases", pairs, ElementKind::reals, of_heads, {}, DimCounts::heads},
     shape_of_biases,
     check_biases,
     write_biases},
    {{ConventionUse::classes, "classes", "classes of queries and keys", pairs, ElementKind::whole, of_pairs},
     shape_of_pairs,
     check_classes,
     write_classes},
    {{ConventionUse::windows, "classes", "classes of a window", window, ElementKind::whole, of_pairs},
     shape_of_window,
     check_window,
     write_window},
    {{ConventionUse::log_coordinates, "coordinates", "coordinates of a window", window, ElementKind::reals, of_cells,
      "coordinate"},
     shape_of_coordinates,
     check_coordinates,
     write_coordinates},
    {{ConventionUse::query_scales, "factors", "factors of queries", places, ElementKind::reals, of_places},
     shape_of_places,
     check_factors,
     write_factors},
    {{ConventionUse::stored_rows, "stored rows", "stored rows", places, ElementKind::whole, of_places, "axis"},
     shape_of_stored,
     check_stored,
     write_stored}};

const OperationRow& row_of_operation(const Convention& convention) {
  const auto gives = [&](const OperationRow& row) { return !check_use("operation", row.facts.use, convention); };
  return *std::ranges::find_if(rows_of_operations, gives);  // every convention is for one of them
}

}  // namespace

const Operation& operation_of(const Convention& convention) { return row_of_operation(convention).facts; }

std::optional<Problem> check_shape_of_numbers(const Convention& convention, const OperationInputs& inputs) {
  if (auto problem = check_convention(convention)) return problem;
  const Operation& operation = operation_of(convention);
  const std::size_t needed = operation.reads == pairs ? 2 : operation.reads == places ? 1 : 0;
  if (inputs.lists.size() < needed) return lists_problem("operation", needed, inputs.lists.size());
  if (operation.reads == window) {
    constexpr std::int64_t most = std::int64_t{1} << 30;
    const auto [height, width] = inputs.window;
    if (height >= 1 && width >= 1 && height <= most && width <= most) return std::nullopt;
    return Problem{"operation", "the sides of the window must be from 1 to 2^30",
                   std::to_string(height) + " x " + std::to_string(width)};
  }
  return operation.dim == DimCounts::nothing ? std::nullopt : check_width(convention, inputs.dim);
}

std::optional<Problem> check_write_numbers(const Convention& convention, const OperationInputs& inputs,
                                           const View& out) {
  return row_of_operation(convention).check(convention, inputs, out);
}

namespace detail {

std::vector<std::int64_t> shape_of_numbers(const Convention& convention, const OperationInputs& inputs) {
  return row_of_operation(convention).shape(convention, inputs);
}

std::optional<Problem> write_numbers(const Convention& convention, const OperationInputs& inputs, const View& out) {
  return row_of_operation(convention).write(convention, inputs, out);
}

}  // namespace detail
}  // namespace posenc
