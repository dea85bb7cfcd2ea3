// SPDX-License-Identifier: Apache-2.0
// posenc rotary: turns a tensor of queries or keys by the positions of its tokens.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/rotary.h>

#include <algorithm>

#include "apps/posenc/cli/about.h"
#include "apps/posenc/cli/excerpt.h"
#include "apps/posenc/cli/notes.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/source.h"
#include "apps/posenc/cli/taken.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/cli/unread.h"
#include "apps/posenc/table/answer.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view sides[] = {"query", "key"};

RotatedSide read_side(const Arguments& arguments) {
  const std::optional<std::string> side = arguments.find("--side");
  if (!side) return {};
  if (*side == sides[0]) return RotatedSide::query;
  if (*side == sides[1]) return RotatedSide::key;
  refuse(arguments.operation, "--side must be query or key", quote(*side));
}

// The axis of tokens: the one that --axis names, else the one before the columns of a head, whatever the sizes.
int read_axis(const Arguments& arguments, const io::Array& array) {
  const auto axes = static_cast<int>(array.shape.size());
  const std::string shape = fmt::format("[{}]", fmt::join(array.shape, ", "));
  if (axes < 2) refuse(arguments.operation, "--in must have an axis of positions and one of columns", shape);
  const auto stated = arguments.find("--axis");
  if (!stated) return axes - 2;
  const auto axis = static_cast<int>(parse_integer(arguments.operation, "--axis", *stated, -axes, axes - 1));
  const int from_front = axis < 0 ? axis + axes : axis;
  if (from_front == axes - 1) {
    refuse(arguments.operation, "--axis must not be the last, which has the columns of a head", *stated);
  }
  return from_front;
}

void check_count(const Arguments& arguments, const io::Array& array, int axis, std::int64_t count) {
  if (array.shape[static_cast<std::size_t>(axis)] == count) return;
  const auto stated = arguments.find("--axis");
  refuse(arguments.operation,
         stated ? fmt::format("axis {} of --in must have the {} positions", *stated, count)
                : fmt::format("axis {} of --in must have the {} positions, or --axis must state another", axis, count),
         fmt::format("[{}]", fmt::join(array.shape, ", ")));
}

// Axis `axis` moved to where rotations read it, before the columns; the others keep their order.
View tokens_last(io::Array& array, int axis) {
  View view = {array.data.data(), array.dtype, array.view().rank, array.view().shape, array.view().strides};
  for (int at = axis; at + 2 < view.rank; ++at) view = view.transposed(at, at + 1);
  return view;
}

// Real, of at least one axis; its last size is the width of a head.
Source read_tensor(const Arguments& arguments, const Choice& choice) {
  Source source = read_source(arguments.operation, "--in", arguments.get("--in"));
  const DType dtype = source.array.dtype;
  if (!is_real(dtype)) {
    refuse(arguments.operation, "--in must be f32, f64, f16 or bf16", shape_words(source.array));
  }
  if (choice.dim && !source.array.shape.empty() && source.array.shape.back() != *choice.dim) {
    refuse(arguments.operation, fmt::format("--in must have heads of {} columns, as --config says", *choice.dim),
           shape_words(source.array));
  }
  return source;
}

Said turn(const Arguments& stated) {
  std::vector<NamedFile> inputs = convention_files(stated);
  if (const auto in = stated.find("--in")) inputs.push_back({"--in", source_path(*in)});
  check_apart(stated.operation, named_files(stated, {"--out"}), inputs);
  check_targets(stated);
  const Choice choice = read_choice_for(stated, ConventionUse::rotations, {"--in", "--positions"});
  Source source = read_tensor(stated, choice);
  io::Array& array = source.array;
  const int axis = read_axis(stated, array);
  const auto [arguments, notes_of_taken] =
      with_positions(stated, choice, "--positions", array.shape[static_cast<std::size_t>(axis)]);
  const RotatedSide side = read_side(arguments);
  const Direction direction = arguments.has("--inverse") ? Direction::inverse : Direction::forward;
  const Places places = read_places(arguments, "--positions", choice, Sequences::batch);
  const Targets targets = read_targets(arguments);
  Threads threads(read_threads(arguments));
  check_count(arguments, array, axis, places.count());
  const std::int64_t head = array.shape.back();
  const CheckedContext checked = read_checked_context(arguments, choice.name, [&](const Context& context) {
    return RotaryRows::check(choice.convention, head, {.recipe = choice.recipe, .context = context});
  });
  const RotaryRows rows(choice.convention, head, {.recipe = choice.recipe, .context = checked.context});
  const Rotated both[] = {Rotated(tokens_last(array, axis), side, TokenAxis::before_columns)};
  rows.rotate(places.lists, both, direction, threads.executor());

  const std::string name = source.tensor.empty() ? std::string(arguments.operation) : source.tensor;
  if (targets.out) {
    TensorTarget target(*targets.out, {.first = {name, array.dtype, array.shape}, .about = about(arguments, choice)});
    target.write(array.view());
    commit({}, &target.finish());
  }
  const std::string what =
      fmt::format("{}, turned along axis {} by {}, {} of {} columns, {}, recipe {}", shape_words(array), axis,
                  fmt::join(places.axes, ", "), rows.width(), head, choice.name, choice.recipe.name);
  return said_of({.words = what,
                  .report = {{"recipe", choice.recipe.name},
                             {"direction", direction == Direction::forward ? "forward" : "inverse"},
                             {"dtype", to_string(array.dtype)},
                             {"shape", array.shape},
                             {"axis", axis},
                             {"position_axes", places.axes},
                             {"rotated", rows.width()}},
                  .shown = [&] { return excerpt_lines(excerpt_of(what, array.view())); },
                  .notes = all_notes({notes_of_taken, checked.notes, notes_of_choice(arguments, choice)})},
                 arguments, choice, targets);
}

constexpr auto rotary_options = joined(
    convention_options,
    {{"--in", "FILE[:TENSOR]", "queries or keys, f32, f64, f16 or bf16: X.npy, X.safetensors:TENSOR, - (needed)"},
     positions_option},
    place_options,
    {{"--axis", "N",
      "the axis of --in that has the positions; the one before the columns unless stated; 0 is the first"},
     {"--inverse", "", "turn back: the transposed map", Takes::nothing},
     {"--side", "query|key", "what the tensor holds: xPos asks for it"},
     length_option,
     centre_option,
     recipe_option,
     ladder_option},
    out_options);

}  // namespace

constinit const Verb rotary_verb =
    preset_verb("rotary", "queries or keys turned by their positions",
                "posenc rotary llama --in q.npy --positions 0:128 --out r.npy", rotary_options, turn);

}  // namespace posenc::tool
