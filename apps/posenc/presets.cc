// SPDX-License-Identifier: Apache-2.0
// posenc presets: the conventions by name; with a name, everything about one of them.
#include <fmt/format.h>
#include <posenc/preset.h>
#include <posenc/spec.h>

#include "apps/posenc/cli.h"
#include "apps/posenc/json.h"
#include "apps/posenc/words.h"

namespace posenc::tool {
namespace {

// Where things stand in a row: the layout of sines and cosines, or the pairing of a rotation. A bias has no rows.
template <class Family>
std::string_view places_of(const Family& family) {
  return to_string(family.layout);
}
std::string_view places_of(const Rotary& rotary) { return to_string(rotary.pairing); }
std::string_view places_of(const Bias&) { return "-"; }

std::string_view layout_of(const Convention& convention) {
  return std::visit([](const auto& family) { return places_of(family); }, convention);
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
          {"note", preset.note}};
}

std::string list(const Arguments& arguments) {
  if (arguments.has("--json")) {
    Json all = Json::array();
    for (const Preset& preset : presets()) all.push_back(json_of(preset));
    return one_line({{"operation", "presets"}, {"presets", all}});
  }
  constexpr std::string_view row = "{:<18} {:<9} {:<13} {:<18} {:<6} {:<15}\n";
  std::string text = fmt::format(fmt::runtime(row), "preset", "family", "layout", "original recipe", "scale", "axes");
  for (const Preset& preset : presets()) {
    text += fmt::format(fmt::runtime(row), preset.name, family(preset.convention), layout_of(preset.convention),
                        preset.original.name, words(preset.stage.scale), words(preset.stage.axes));
  }
  return text + "\nposenc presets NAME tells all about one.\n";
}

std::string one(const Arguments& arguments, const Preset& preset) {
  if (arguments.has("--json")) return one_line({{"operation", "presets"}, {"presets", Json::array({json_of(preset)})}});
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<11} {}\n", name, value);
  };
  line("preset", preset.name);
  line("convention", to_string(preset.convention));
  line("original", to_string(preset.original));
  line("scale", words(preset.stage.scale));
  line("dropout", fmt::format("{}", preset.stage.dropout));
  line("axes", words(preset.stage.axes));
  line("max_len", preset.stage.max_len ? fmt::format("{} in the original, none here", *preset.stage.max_len) : "none");
  line("source", preset.source);
  line("note", preset.note);
  line("as JSON", io::to_json(preset.convention));
  return text;
}

Said run(const Arguments& arguments) {
  if (arguments.operands.empty()) return {list(arguments)};
  return {one(arguments, preset(arguments.operands.front()))};
}

}  // namespace

constinit const Verb presets_verb = {"presets",
                                     "the conventions by name",
                                     "NAME",
                                     "tells all about one preset.",
                                     "posenc presets whisper",
                                     Operands::one,
                                     {},
                                     run};

}  // namespace posenc::tool
