// SPDX-License-Identifier: Apache-2.0
// posenc presets: the conventions by name; with a name, everything about one of them.
#include <fmt/format.h>
#include <posenc/preset.h>
#include <posenc/spec.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// Where things stand in a row: the layout of sines and cosines, or the pairing of a rotation. A bias has no rows.
std::string layout_of(const Convention& convention) {
  for (const FieldText& field : fields_of(convention)) {
    if (field.name == "layout" || field.name == "pairing") return field.value;
  }
  return "-";
}

Json json_of(const Recipe& recipe) {
  Json steps = nullptr;
  if (recipe.steps) {
    steps = {{"ladder", to_string(recipe.steps->ladder)},       {"constant", to_string(recipe.steps->constant)},
             {"frequency", to_string(recipe.steps->frequency)}, {"angle", to_string(recipe.steps->angle)},
             {"sine", to_string(recipe.steps->sine)},           {"storage", Json::array()}};
    for (const DType type : recipe.steps->storage) steps["storage"].push_back(to_string(type));
  }
  return {{"name", recipe.name}, {"steps", steps}};
}

Json json_of(const Preset& preset) {
  return {{"name", preset.name},
          {"family", family(preset.convention)},
          {"convention", Json::parse(io::to_json(preset.convention))},
          {"original", json_of(preset.original)},
          {"scale", words(preset.stage.scale)},
          {"dropout", preset.stage.dropout},
          {"axes", words(preset.stage.axes)},
          {"max_len", preset.stage.max_len ? Json(*preset.stage.max_len) : Json(nullptr)},
          {"source", preset.source},
          {"note", preset.note},
          {"aliases", preset.aliases}};
}

std::string list(const Arguments& arguments, const std::vector<Preset>& listed) {
  if (arguments.has("--json")) {
    Json all = Json::array();
    for (const Preset& preset : listed) all.push_back(json_of(preset));
    return one_line({{"operation", "presets"}, {"presets", all}});
  }
  std::size_t widest = 18;
  for (const Preset& preset : listed) widest = std::max(widest, preset.name.size());
  constexpr std::string_view row = "{:<{}} {:<15} {:<13} {:<18} {:<6} {:<15}\n";
  std::string text =
      fmt::format(fmt::runtime(row), "preset", widest, "family", "layout", "original recipe", "scale", "axes");
  for (const Preset& preset : listed) {
    text += fmt::format(fmt::runtime(row), preset.name, widest, family(preset.convention), layout_of(preset.convention),
                        preset.original.name, words(preset.stage.scale), words(preset.stage.axes));
  }
  return text + "\nposenc presets NAME tells all about one.\n";
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Presets whose name, aliases, source or note hold the word, in any case.
std::vector<Preset> presets_that_hold(std::string_view word) {
  const std::string wanted = lower_case(word);
  std::vector<Preset> found;
  for (const Preset& preset : presets()) {
    std::string text = fmt::format("{} {} {}", preset.name, preset.source, preset.note);
    for (const std::string_view alias : preset.aliases) text += fmt::format(" {}", alias);
    if (lower_case(text).find(wanted) != std::string::npos) found.push_back(preset);
  }
  return found;
}

std::string one(const Arguments& arguments, const Preset& preset) {
  if (arguments.has("--json")) return one_line({{"operation", "presets"}, {"presets", Json::array({json_of(preset)})}});
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<11} {}\n", name, value);
  };
  line("preset", preset.name);
  if (!preset.aliases.empty()) line("also", fmt::format("{}", fmt::join(preset.aliases, ", ")));
  line("convention", to_string(preset.convention));
  line("original", to_string(preset.original));
  line("scale", words(preset.stage.scale));
  line("dropout", fmt::format("{}", preset.stage.dropout));
  line("axes", words(preset.stage.axes));
  line("max_len", preset.stage.max_len ? fmt::format("{} in the original, none here", *preset.stage.max_len) : "none");
  line("source", preset.source);
  line("note", preset.note);
  line("as JSON", io::to_json(preset.convention));
  text += "\nEvery field, as --set names it:\n";
  for (const FieldText& field : fields_of(preset.convention)) {
    text += fmt::format("  {:<14} {}  ({})\n", field.name, field.value, field.doc);
  }
  return text;
}

// The fields in which two presets differ.
std::string two(const Arguments& arguments, const Preset& a, const Preset& b) {
  const std::vector<std::string> found = differences(a.convention, b.convention);
  if (arguments.has("--json")) {
    return one_line({{"operation", "presets"}, {"names", {a.name, b.name}}, {"differences", found}});
  }
  std::string text = found.empty() ? fmt::format("{} and {} are the same convention\n", a.name, b.name) : "";
  for (const std::string& difference : found) text += difference + "\n";
  return text;
}

void require_alone(const Arguments& arguments, std::string_view option) {
  if (arguments.operands.empty() && arguments.values.size() == 1) return;
  refuse(arguments.operation, fmt::format("{} must stand alone", option), "more words");
}

Said run(const Arguments& arguments) {
  for (const std::string_view option : {"--schema", "--markdown"}) {
    if (!arguments.has(option)) continue;
    require_alone(arguments, option);
    return {option == "--schema" ? io::convention_schema() + "\n" : io::conventions_page()};
  }
  const std::vector<std::string>& names = arguments.operands;
  if (names.size() > 2) refuse(arguments.operation, "there must be at most two names", quote(names[2]));
  if (arguments.has("--set") && names.size() != 1) {
    refuse(arguments.operation, "--set must come with one name", std::to_string(names.size()));
  }
  if (names.empty()) return {list(arguments, {presets().begin(), presets().end()})};
  if (names.size() == 1 && find_preset(names[0]) == nullptr && !names[0].empty() && !arguments.has("--set")) {
    if (const std::vector<Preset> found = presets_that_hold(names[0]); !found.empty()) return {list(arguments, found)};
  }
  Preset first = preset(names[0]);
  const std::string name = changed_name(arguments, first.name);
  first.name = name;
  first.convention = changed(arguments, first.convention);
  return {names.size() == 1 ? one(arguments, first) : two(arguments, first, preset(names[1]))};
}

// Of the convention that the call names.
std::vector<std::string> set_choices_of_name(const Arguments& arguments) {
  return change_choices(arguments,
                        preset(arguments.operands.empty() ? default_preset : arguments.operands[0]).convention);
}

constexpr Option presets_options[] = {
    {set_option.name, set_option.value, set_option.help, set_option.takes, set_choices_of_name},
    {"--schema", "", "the JSON Schema of version 2 of a convention's JSON", Takes::nothing},
    {"--markdown", "", "the tables of docs/conventions.md: presets, recipes, every field", Takes::nothing}};

}  // namespace

constinit const Verb presets_verb = {
    "presets",
    "the conventions by name",
    "NAME [NAME]",
    "tells all about one preset, or in which fields two differ; of another word, which "
    "presets hold it.",
    "posenc presets whisper",
    Operands::many,
    presets_options,
    run,
    preset_choices};

}  // namespace posenc::tool
