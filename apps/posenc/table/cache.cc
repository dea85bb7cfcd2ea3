// SPDX-License-Identifier: Apache-2.0
// posenc cache: the cosines and sines of a rotation, as kernels of other libraries read them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/rotary_cache.h>

#include <algorithm>
#include <ranges>

#include "apps/posenc/cli/about.h"
#include "apps/posenc/cli/excerpt.h"
#include "apps/posenc/cli/letter_case.h"
#include "apps/posenc/cli/notes.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/taken.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/cli/unread.h"
#include "apps/posenc/table/answer.h"
#include "apps/posenc/table/tensor.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view frequencies_name = "inv_freq";

Tensor frequencies_of(const RotaryCache& cache) {
  const std::vector<double> w = cache.frequencies();
  const auto bytes = std::as_bytes(std::span(w));
  return {std::string(frequencies_name), DType::f64, {std::ssize(w)}, {"pair"}, {bytes.begin(), bytes.end()}};
}

// All tensors for .safetensors, or the one that --tensor names.
std::vector<std::string> read_tensors(const Arguments& arguments, const RotaryCache& cache,
                                      const std::optional<Out>& out) {
  std::vector<std::string> all = cache.tensors();
  all.emplace_back(frequencies_name);
  std::optional<std::string> one = arguments.find("--tensor");
  if (one) one = in_listed_case(*one, all);
  if (!one) {
    if (!out || out->format == TensorFormat::safetensors) return all;
    refuse(arguments.operation, fmt::format("--tensor must be given for a format that holds one: {}", either(all)),
           "none");
  }
  if (std::ranges::find(all, *one) != all.end()) return {*one};
  refuse(arguments.operation, fmt::format("--tensor must be {}", either(all)), quote(*one));
}

// A rotation that states no form of its stored table.
std::vector<std::string> missing_form(const Choice& choice) {
  const bool without_form = std::ranges::any_of(fields_of(choice.convention), [](const FieldText& field) {
    return field.name == "stored" && field.value == "none";
  });
  if (!without_form) return {};
  return {"--set stored=FORM (halves_twice, pairs_twice, sine_cosine, complex or angles_twice)"};
}

std::string excerpts_of(std::span<Tensor> tensors, const Choice& choice) {
  std::string text;
  for (Tensor& each : tensors) {
    text += text.empty() ? "" : "\n";
    text += excerpt_lines(
        excerpt_of(fmt::format("{}, {}, recipe {}", words(each), choice.name, choice.recipe.name), each.view()));
  }
  return text;
}

Said make_cache(const Arguments& stated) {
  check_targets(stated);
  const Choice choice = read_choice_for(stated, ConventionUse::rotations, {"--dim", "--positions"}, missing_form);
  const auto [arguments, notes_of_taken] = with_positions(stated, choice, "--positions");
  const std::int64_t head = read_dim(arguments, choice);
  const Places places = read_places(arguments, "--positions", choice);
  const DType dtype = read_dtype(arguments);
  const Targets targets = read_targets(arguments);
  Threads threads(read_threads(arguments));
  const CheckedContext checked = read_checked_context(arguments, choice.name, [&](const Context& context) {
    return RotaryCache::check(choice.convention, head, {.recipe = choice.recipe, .context = context});
  });
  const std::int64_t bytes = bytes_of(arguments.operation, places.count(), 2 * head, dtype);
  check_memory(arguments.operation, bytes);
  if (targets.out) check_out(arguments.operation, *targets.out, dtype, bytes);
  const RotaryCache cache(choice.convention, head, {.recipe = choice.recipe, .context = checked.context});
  std::vector<Tensor> made;
  for (const std::string& name : read_tensors(arguments, cache, targets.out)) {
    if (name == frequencies_name) {
      made.push_back(frequencies_of(cache));
      continue;
    }
    made.push_back(
        room_for(arguments.operation, {name, dtype, {places.count(), cache.width()}, {places.axis(), "column"}}));
    cache.write(name, places.lists, made.back().view(), threads.executor());
  }
  if (targets.out) write_tensors(made, *targets.out, about(arguments, choice), {});

  std::vector<JsonMember> shapes;
  std::vector<std::string> said;
  for (const Tensor& each : made) {
    shapes.push_back({each.name, each.shape});
    said.push_back(words(each));
  }
  return said_of({.words = fmt::format("{}, {}, recipe {}", fmt::join(said, ", "), choice.name, choice.recipe.name),
                  .report = {{"recipe", choice.recipe.name},
                             {"dim", head},
                             {"tensors", json_object(shapes)},
                             {"position_axes", places.axes}},
                  .shown = [&] { return excerpts_of(made, choice); },
                  .notes = all_notes({notes_of_taken, checked.notes, notes_of_choice(arguments, choice)})},
                 arguments, choice, targets);
}

constexpr auto cache_options =
    joined(convention_options, {{"--dim", "D", "columns of a head (needed)"}, positions_option}, place_options,
           {length_option,
            {"--tensor", "NAME", "cos, sin, sin_cos, cos_sin, angles or inv_freq; all of the form without it"},
            recipe_option,
            ladder_option,
            dtype_option},
           out_options);

}  // namespace

constinit const Verb cache_verb =
    preset_verb("cache", "cosines and sines of a rotation, for kernels of others",
                "posenc cache llama --set stored=halves_twice --dim 128 --positions 0:4096 --out rope.safetensors",
                cache_options, make_cache);

}  // namespace posenc::tool
