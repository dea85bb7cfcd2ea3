// SPDX-License-Identifier: Apache-2.0
// posenc presets: the conventions by name; with a name, everything about one of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/operation.h>
#include <posenc/preset.h>
#include <posenc/spec/spec.h>

#include <algorithm>
#include <cmath>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/output.h"
#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/presets/measure.h"
#include "apps/posenc/presets/preset_picture.h"
#include "apps/posenc/presets/told.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// What compares two, and where.
constexpr std::string_view measure_options[] = {"--recipe", "--dim",     "--positions", "--height", "--width",
                                                "--extent", "--queries", "--keys",      "--heads",  "--head-dim",
                                                "--window", "--length",  "--centre",    "--learned"};

// The numbers by which two differ, or why they were not compared. Where the call asks for some, what refuses them is an
// error.
std::pair<std::vector<Difference>, std::string> tables_of(const Arguments& arguments, const Choice& a,
                                                          const Choice& b) {
  const bool asked =
      std::ranges::any_of(measure_options, [&](std::string_view option) { return arguments.has(option); });
  try {
    Threads threads(cpus());
    std::vector<Difference> found = compared(arguments, a, b, threads.executor());
    if (!found.empty()) return {std::move(found), ""};
    if (verb_of(a.convention) != verb_of(b.convention)) {
      return {
          {},
          fmt::format("one is for posenc {}, the other for posenc {}", verb_of(a.convention), verb_of(b.convention))};
    }
    const std::string_view of_a = operation_of(a.convention).name, of_b = operation_of(b.convention).name;
    return {{},
            of_a == of_b ? fmt::format("both give {}, of other axes", of_a)
                         : fmt::format("one gives {}, the other {}", of_a, of_b)};
  } catch (const Error& error) {
    if (asked) throw;
    return {{}, error.what()};
  }
}

Json json_of(const Difference& each) {
  const auto text = [](const std::string& words) { return words.empty() ? Json(nullptr) : Json(words); };
  const Json largest = std::isfinite(each.largest) ? Json(each.largest) : Json("inf");
  return json_object({{"what", each.what},
                      {"largest", largest},
                      {"at", text(each.at)},
                      {"first", text(each.first)},
                      {"cut", or_null(each.cut)}});
}

// The fields in which two conventions differ, and by how much their numbers do.
std::string two(const Arguments& arguments, const Choice& a, const Choice& b) {
  std::vector<std::string> found = differences(a.convention, b.convention);
  const PlaceNumbering places[] = {numbering_of(arguments, a.numbered), numbering_of(arguments, b.numbered)};
  const bool known = a.numbered.presets.empty() && b.numbered.presets.empty();
  if (known && places[0] != places[1])
    found.push_back(fmt::format("places: {}, not {}", to_string(places[0]), to_string(places[1])));
  const auto [tables, reason] = tables_of(arguments, a, b);
  if (arguments.has("--json")) {
    std::vector<Json> all;
    for (const Difference& each : tables) all.push_back(json_of(each));
    return one_line({{"operation", "presets"},
                     {"names", json_list({a.name, b.name})},
                     {"differences", found},
                     {"tables", all},
                     {"reason", reason.empty() ? Json(nullptr) : Json(reason)}});
  }
  std::string text = found.empty() ? fmt::format("{} and {} are the same convention\n", a.name, b.name) : "";
  for (const std::string& difference : found) text += difference + "\n";
  text += "\n";
  if (!reason.empty()) text += fmt::format("numbers not compared: {}\n", reason);
  for (const Difference& each : tables) {
    text += each.first.empty() ? fmt::format("{}: equal", each.what)
                               : fmt::format("{}: at most {:.4g} apart, at {}; first at {}", each.what, each.largest,
                                             each.at, each.first);
    text += each.cut ? fmt::format(" (of {}, what both have)\n", *each.cut) : "\n";
  }
  return text;
}

void require_alone(const Arguments& arguments, std::string_view option) {
  if (arguments.operands.empty() && arguments.values.size() == 1) return;
  refuse(arguments.operation, fmt::format("{} must stand alone", option), "more words");
}

// A convention by the name of a preset, with what the call changes of it.
Choice named(const Arguments& arguments, const std::string& name) {
  Arguments by_name = arguments;
  for (const std::string_view option : {"--spec", "--config"}) {
    if (const auto found = by_name.values.find(option); found != by_name.values.end()) by_name.values.erase(found);
  }
  by_name.values["--preset"] = {name};
  return read_choice(by_name);
}

// --spec or --config, then the names.
std::vector<Choice> read_choices(const Arguments& arguments) {
  const std::vector<std::string>& names = arguments.operands;
  const bool file = arguments.has("--spec") || arguments.has("--config");
  const std::size_t count = names.size() + (file ? 1 : 0);
  if (count > 2) refuse(arguments.operation, "there must be at most two names", quote(names[file ? 1 : 2]));
  if (arguments.has("--set") && count != 1) {
    refuse(arguments.operation, "--set must come with one name", std::to_string(count));
  }
  std::vector<Choice> choices;
  if (file) choices.push_back(read_choice(arguments));
  for (const std::string& name : names) choices.push_back(named(arguments, name));
  return choices;
}

// Of a --spec or a role of --config what a preset has besides is not known.
std::string about_preset(const Arguments& arguments, const Choice& choice) {
  if (choice.preset == nullptr) {
    Preset shown = {
        choice.name, choice.convention, exact(), {Scale::none, 0, Axes::batch_first, {}}, "the caller's", "", {}, {},
        {}};
    if (choice.scale) shown.stage.scale = *choice.scale;
    return told(arguments, shown, {});
  }
  Preset shown = *choice.preset;
  shown.name = choice.name;
  shown.convention = choice.convention;
  return told(arguments, shown, others_that_hold(arguments, arguments.operands[0], choice.preset->name));
}

// What says how conventions are measured comes with two of them, or with a picture.
void require_measured(const Arguments& arguments, std::size_t choices) {
  for (const std::string_view option : measure_options) {
    if (choices == 2 || !arguments.has(option) || (choices == 1 && arguments.has("--plot"))) continue;
    refuse(arguments.operation, fmt::format("{} must come with two names, or with one and --plot", option),
           quote(arguments.get(option)));
  }
}

// Those of --family, and that hold the word if one is given.
Said one_family(const Arguments& arguments, const std::string& of_family) {
  const std::vector<std::string> families = preset_families();
  if (std::ranges::find(families, of_family) == families.end()) {
    refuse(arguments.operation, fmt::format("--family must be {}", either(families)), quote(of_family));
  }
  const std::vector<std::string>& names = arguments.operands;
  if (arguments.has("--spec") || arguments.has("--config") || names.size() > 1) {
    refuse(arguments.operation, "--family must come with one word at most", "more");
  }
  return {list_of(arguments, presets_that_hold(arguments, names.empty() ? "" : names[0]))};
}

// The width of a role is that of what it is compared with.
Arguments with_width(const Arguments& arguments, std::span<const Choice> choices) {
  Arguments all = arguments;
  for (const Choice& choice : choices) {
    if (choice.dim) all.values.try_emplace("--dim", std::vector{std::to_string(*choice.dim)});
  }
  return all;
}

Said told_or_compared(const Arguments& arguments, std::span<const Choice> choices, const Targets& targets) {
  Said said = {choices.size() == 1 ? about_preset(arguments, choices[0]) : two(arguments, choices[0], choices[1])};
  if (!targets.plot) return said;
  Files files;
  const PictureFormat format = picture_format(arguments.operation, *targets.plot);
  prepare(files, *targets.plot, preset_picture(arguments, choices, format), targets.writing);
  commit(files);
  said.notes = target_notes(
      targets, choices.size() == 1 ? choices[0].name : fmt::format("{} and {}", choices[0].name, choices[1].name));
  return said;
}

// "qwen image" in two words without quotes: both may be those of one model.
std::optional<Said> found_by_both(const Arguments& arguments) {
  const std::vector<std::string>& names = arguments.operands;
  if (names.size() != 2 || arguments.values.size() > (arguments.has("--json") ? 1u : 0u)) return std::nullopt;
  if (find_named(names[0]) != nullptr && find_named(names[1]) != nullptr) return std::nullopt;
  const std::string both = names[0] + " " + names[1];
  if (std::optional<std::string> reason = told_without(arguments, both)) return Said{*std::move(reason)};
  const std::vector<Preset> found = presets_that_hold(arguments, both);
  if (!found.empty()) return Said{list_of(arguments, found), notes_of_type(both)};
  if (find_named(names[0]) == nullptr && find_named(names[1]) == nullptr) require(check_preset(both));
  return std::nullopt;
}

// What an option that stands alone prints.
struct WholePage {
  std::string_view option;
  std::string (*text)(const Arguments& arguments);
};
constexpr WholePage whole_pages[] = {
    {"--recipes",
     [](const Arguments& arguments) { return fmt::format("{}\n", fmt::join(recipe_choices(arguments), "\n")); }},
    {"--schema", [](const Arguments&) { return io::convention_schema() + "\n"; }},
    {"--markdown", [](const Arguments&) { return io::conventions_page(); }}};

Said run_presets(const Arguments& arguments) {
  if (std::optional<Said> said = found_by_both(arguments)) return *std::move(said);
  for (const auto& [option, text] : whole_pages) {
    if (!arguments.has(option)) continue;
    require_alone(arguments, option);
    return {text(arguments)};
  }
  const std::vector<std::string>& names = arguments.operands;
  const bool file = arguments.has("--spec") || arguments.has("--config");
  require_measured(arguments, names.size() + (file ? 1 : 0));
  if (const auto of_family = arguments.find("--family")) return one_family(arguments, *of_family);
  const bool searched = names.size() == 1 && !file && find_named(names[0]) == nullptr && !names[0].empty();
  if (searched && !arguments.has("--set") && !arguments.has("--plot")) {
    if (std::optional<std::string> reason = told_without(arguments, names[0])) return {*std::move(reason)};
    if (const std::vector<Preset> found = presets_that_hold(arguments, names[0]); !found.empty()) {
      return {list_of(arguments, found), notes_of_type(names[0])};
    }
    if (!notes_of_type(names[0]).empty()) {
      refuse(arguments.operation,
             "name must be that of a preset, not of a model type, whose config.json posenc inspect reads",
             quote(names[0]));
    }
  }
  const Targets targets = read_targets(arguments);
  check_apart(arguments.operation, named_files(arguments, {"--plot"}), convention_files(arguments));
  const std::vector<Choice> choices = read_choices(arguments);
  if (!choices.empty()) return told_or_compared(with_width(arguments, choices), choices, targets);
  if (targets.plot) refuse(arguments.operation, "--plot must come with a name, or two", "none");
  return {list_of(arguments, {presets().begin(), presets().end()})};
}

std::vector<std::string> family_choices(const Arguments&) { return preset_families(); }

// Of the convention that the call names.
std::vector<std::string> set_choices_of_name(const Arguments& arguments) {
  return change_choices(arguments,
                        preset(arguments.operands.empty() ? default_preset : arguments.operands[0]).convention);
}

constexpr Option presets_options[] = {
    {"--family", "NAME", "those of a family alone: waves, rotary, slopes, ..", Takes::one, family_choices},
    {spec_option.name, spec_option.value, "a convention as JSON, in place of a name"},
    {config_option.name, config_option.value, "a role of a model's config.json, in place of a name"},
    {set_option.name, set_option.value, set_option.help, set_option.takes, set_choices_of_name},
    recipe_option,
    {"--dim", "D", "of two, and of --plot: the width (512, of heads 128)"},
    {positions_option.name, positions_option.value, "of two, and of --plot: positions (0:512)", Takes::many},
    place_height_option,
    place_width_option,
    place_extent_option,
    whole_places_option,
    {"--queries", "A:B[:S]|LIST|FILE.npy", "of two: positions of queries (0:512)"},
    {"--keys", "A:B[:S]|LIST|FILE.npy", "of two: positions of keys (0:512)"},
    {"--heads", "H", "of two: heads, of biases (8)"},
    {"--head-dim", "D", "of two: columns of a head, of biases (64)"},
    {"--window", "HxW", "of two: a window of cells (7x7)"},
    length_option,
    centre_option,
    learned_option,
    {plot_option.name, plot_option.value, "a picture: periods of the ladder, similarity by distance"},
    {"--recipes", "", "the arithmetic that --recipe names, a name a line", Takes::nothing},
    {"--schema", "", "the JSON Schema of version 2 of a convention's JSON", Takes::nothing},
    {"--markdown", "", "the tables of docs/conventions.md: presets, recipes, every field", Takes::nothing}};

}  // namespace

constinit const Verb presets_verb = {
    "presets",
    "the conventions by name",
    "NAME [NAME]",
    "tells all about one preset, or in which fields and by how much two differ; of "
    "another word, which presets hold it.",
    "posenc presets whisper whisper-published --recipe original",
    Operands::many,
    presets_options,
    run_presets,
    preset_choices,
    "its answer goes to standard output, as JSON with --json; --plot writes a picture"};

}  // namespace posenc::tool
