// SPDX-License-Identifier: Apache-2.0
// Reads what the operation of a convention reads, allocates its output and writes it.
#include "apps/posenc/table/convention_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/operation.h>

#include <algorithm>

#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/unread.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_side = 1 << 14;

// The options that state the inputs of an operation.
std::vector<std::string_view> options_of(const Convention& convention) {
  const Operation& operation = operation_of(convention);
  if (operation.reads == OperationReads::places && axes_of(convention).empty()) return {"--positions"};
  switch (operation.reads) {
    case OperationReads::places: return {"--positions", "--height", "--width", "--extent"};
    case OperationReads::window: return {"--window"};
    case OperationReads::pairs: break;
  }
  if (operation.dim == DimCounts::heads) return {"--queries", "--keys", "--heads", "--head-dim"};
  return {"--queries", "--keys"};
}

// Positions along each axis, or those of the queries and the keys; none of a window.
Places read_lists(const Arguments& arguments, const Choice& choice, const Operation& operation) {
  if (operation.reads == OperationReads::places) return read_places(arguments, "--positions", choice);
  Places pairs = {};
  if (operation.reads == OperationReads::window) return pairs;
  std::vector<std::string> lacking = missing(arguments, {"--queries", "--keys"});
  if (operation.dim == DimCounts::heads && !arguments.has("--heads")) lacking.emplace_back("--heads");
  require_given(arguments, lacking);
  for (const std::string_view option : {"--queries", "--keys"}) {
    pairs.kept.push_back(parse_positions(arguments.operation, option, arguments.get(option)));
    pairs.lists.push_back(pairs.kept.back().positions);
  }
  return pairs;
}

// "7x7", or that of a role.
GridSize read_window(const Arguments& arguments, const Choice& choice) {
  if (const auto& cells = choice.cells; !cells.empty() && !arguments.has("--window")) return {cells[0], cells[1]};
  const std::string text = arguments.get("--window");
  const std::size_t cross = std::min(text.find_first_of("xX"), text.size());
  if (cross == text.size()) refuse(arguments.operation, "--window must be HxW, as 7x7", quote(text));
  const auto side = [&](std::string_view digits) {
    return parse_integer(arguments.operation, fmt::format("each side of --window {}", text), digits, 1, most_side);
  };
  return {side(text.substr(0, cross)), side(text.substr(cross + 1))};
}

DType read_type(const Arguments& arguments, const Operation& operation) {
  if (operation.elements == ElementKind::reals) return read_dtype(arguments);
  if (!arguments.has("--dtype")) return DType::i64;
  refuse(arguments.operation, "--dtype must not be given for whole numbers, which are i64",
         quote(arguments.get("--dtype")));
}

OperationInputs read_inputs(const Arguments& arguments, const Choice& choice, const Operation& operation,
                            const Places& places) {
  OperationInputs inputs = {.lists = places.lists, .options = {.context = read_context(arguments)}};
  if (operation.reads == OperationReads::window) inputs.window = read_window(arguments, choice);
  if (operation.dim == DimCounts::heads) {
    if (arguments.has("--head-dim")) {
      inputs.options.context.head = parse_integer(arguments.operation, "--head-dim", arguments.get("--head-dim"), 1);
    }
    inputs.dim = parse_integer(arguments.operation, "--heads", arguments.get("--heads"), 1);
  }
  if (operation.dim == DimCounts::columns) {  // the others have no recipes
    inputs.dim = read_dim(arguments, choice);
    inputs.options.recipe = choice.recipe;
  }
  return inputs;
}

// The names of the axes; of a difference with what is added to it: "dy + 6".
std::vector<std::string> names_of_axes(const Operation& operation, const Places& places,
                                       const std::vector<std::int64_t>& shape) {
  std::vector<std::string> names;
  for (const std::string_view axis : operation.axes) {
    const bool is_difference = axis == "dy" || axis == "dx";
    names.push_back(is_difference     ? fmt::format("{} + {}", axis, shape[names.size()] / 2)
                    : axis == "place" ? places.axis()
                                      : std::string(axis));
  }
  if (shape.size() > names.size()) names.emplace_back(operation.columns);
  return names;
}

// Tells whether biases are refused for a head whose columns are not stated.
bool depends_on_head(const Convention& convention) {
  float number = 0;
  const Positions first[] = {Positions::at(0), Positions::at(0)};
  return check_write_numbers(convention, {.dim = 1, .lists = first}, view(&number, {1, 1, 1})).has_value();
}

}  // namespace

void check_read(const Arguments& arguments, const Choice& choice) {
  if (verb_of(choice.convention) != bias_verb.name) {
    require_use(arguments.operation, choice, ConventionUse::slopes);  // which it is not for
  }
  const Operation& operation = operation_of(choice.convention);
  const std::vector<std::string_view> read = options_of(choice.convention);
  for (const std::string_view option :
       {"--queries", "--keys", "--window", "--positions", "--height", "--width", "--extent", "--heads", "--head-dim"}) {
    if (!arguments.has(option) || std::ranges::find(read, option) != read.end()) continue;
    refuse(arguments.operation,
           fmt::format("{} must not be given for {}, which are of {}", option, operation.title, fmt::join(read, ", ")),
           quote(arguments.get(option)));
  }
}

std::vector<std::string> notes_of_head(const Arguments& arguments, const Choice& choice) {
  if (!arguments.has("--head-dim") || depends_on_head(choice.convention)) return {};
  return {note_of_unread(arguments, "--head-dim", choice.name)};
}

Tensor convention_numbers(const Arguments& arguments, const Choice& choice, const Executor& executor) {
  const Operation& operation = operation_of(choice.convention);
  const Places places = read_lists(arguments, choice, operation);
  OperationInputs inputs = read_inputs(arguments, choice, operation, places);
  inputs.options.executor = executor;
  const DType type = read_type(arguments, operation);
  const std::vector<std::int64_t> shape = shape_of_numbers(choice.convention, inputs);
  Tensor tensor = room_for(arguments.operation,
                           {std::string(operation.name), type, shape, names_of_axes(operation, places, shape)});
  write_numbers(choice.convention, inputs, tensor.view());
  return tensor;
}

}  // namespace posenc::tool
