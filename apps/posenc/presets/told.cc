// SPDX-License-Identifier: Apache-2.0
// Presets as lines, as text and as JSON; and which of them hold a word.
#include "apps/posenc/presets/told.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/spec.h>

#include <algorithm>
#include <ranges>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/words.h"

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
  if (recipe.exact()) return {{"name", recipe.name}, {"steps", nullptr}};
  // A structured binding of another number of names does not compile: a step that is added is told here as well.
  const auto& [ladder, constant, frequency, scaling, unit_at, angle, scale_at, sums, argument, decay, sine, storage] =
      *recipe.steps;
  Json steps = {
      {"ladder", to_string(ladder)},     {"constant", to_string(constant)}, {"frequency", to_string(frequency)},
      {"scaling", to_string(scaling)},   {"unit_at", to_string(unit_at)},   {"angle", to_string(angle)},
      {"scale_at", to_string(scale_at)}, {"sums", to_string(sums)},         {"argument", to_string(argument)},
      {"decay", to_string(decay)},       {"sine", to_string(sine)},         {"storage", Json::array()}};
  for (const DType type : storage) steps["storage"].push_back(to_string(type));
  return {{"name", recipe.name}, {"steps", steps}};
}

Json json_of(const Preset& preset) {
  return {{"name", preset.name},
          {"family", family(preset.convention)},
          {"verb", verb_of(preset.convention)},
          {"convention", Json::parse(io::to_json(preset.convention))},
          {"original", json_of(preset.original)},
          {"scale", words(preset.stage.scale)},
          {"dropout", preset.stage.dropout},
          {"axes", words(preset.stage.axes)},
          {"max_len", preset.stage.max_len ? Json(*preset.stage.max_len) : Json(nullptr)},
          {"source", preset.source},
          {"note", preset.note},
          {"places", preset.places ? Json(to_string(*preset.places)) : Json(nullptr)},
          {"aliases", preset.aliases}};
}

// A convention has two names of a family: that of its short form, where it has one, and that of its fields.
std::vector<std::string> families_of(const Preset& preset) {
  std::vector<std::string> names = {std::string(family(preset.convention))};
  const std::string of_fields = Json::parse(io::to_json(preset.convention)).at("family");
  if (names[0] != of_fields) names.push_back(of_fields);
  return names;
}

// In lower case, and with hyphens for what stands between words: "Llama 3.1" is llama-3-1.
std::string folded(std::string_view text) {
  std::string word(text);
  for (char& c : word) {
    c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == ' ' || c == '.' || c == '_' ? '-' : c;
  }
  return word;
}

// Its parts: llama, 3, 1.
std::vector<std::string> parts_of(const std::string& word) {
  std::vector<std::string> parts;
  for (const auto part : word | std::views::split('-')) {
    if (!part.empty()) parts.emplace_back(part.begin(), part.end());
  }
  return parts;
}

}  // namespace

std::vector<std::string> preset_families() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    for (const std::string& name : families_of(preset)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string list_of(const Arguments& arguments, const std::vector<Preset>& listed) {
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

std::vector<Preset> presets_that_hold(const Arguments& arguments, std::string_view word) {
  const std::optional<std::string> of_family = arguments.find("--family");
  const std::string whole = folded(word);
  const auto having = [&](const std::vector<std::string>& wanted) {
    std::vector<Preset> found;
    for (const Preset& preset : presets()) {
      const std::vector<std::string> families = families_of(preset);
      if (of_family && std::ranges::find(families, *of_family) == families.end()) continue;
      const std::string text =
          folded(fmt::format("{} {} {} {}", preset.name, preset.source, preset.note, fmt::join(preset.aliases, " ")));
      const auto stands = [&](const std::string& part) { return text.find(part) != text.npos; };
      if (std::ranges::all_of(wanted, stands)) found.push_back(preset);
    }
    return found;
  };
  const std::vector<Preset> found = having({whole});
  return found.empty() ? having(parts_of(whole)) : found;
}

std::vector<std::string_view> others_that_hold(const Arguments& arguments, std::string_view word,
                                               std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& preset : presets_that_hold(arguments, word)) {
    if (preset.name != name) names.push_back(preset.name);
  }
  return names;
}

std::optional<std::string> told_without(const Arguments& arguments, std::string_view word) {
  const std::string name = folded(word);
  const WithoutPreset* known = find_without_preset(name);
  if (known == nullptr) return std::nullopt;
  if (arguments.has("--json")) {
    return one_line({{"operation", "presets"}, {"presets", Json::array()}, {"name", name}, {"reason", known->reason}});
  }
  const std::vector<Preset> found = presets_that_hold(arguments, name);
  return fmt::format("{}: {}\n", name, known->reason) + (found.empty() ? "" : "\n" + list_of(arguments, found));
}

std::string told(const Arguments& arguments, const Preset& preset, std::span<const std::string_view> others) {
  if (arguments.has("--json")) {
    return one_line({{"operation", "presets"}, {"presets", Json::array({json_of(preset)})}, {"others", others}});
  }
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{:<11} {}\n", name, value);
  };
  line("preset", preset.name);
  if (!preset.aliases.empty()) line("also", fmt::format("{}", fmt::join(preset.aliases, ", ")));
  if (!others.empty()) line("others", fmt::format("{}, which hold the same word", fmt::join(others, ", ")));
  line("convention", to_string(preset.convention));
  if (const std::string layout = layout_line(preset.convention); !layout.empty()) line("layout", "width " + layout);
  if (preset.places) line("places", to_string(*preset.places));
  line("original", to_string(preset.original));
  line("scale", words(preset.stage.scale));
  line("dropout", fmt::format("{}", preset.stage.dropout));
  line("axes", words(preset.stage.axes));
  line("max_len", preset.stage.max_len ? fmt::format("{} in the original, none here", *preset.stage.max_len) : "none");
  line("made by", fmt::format("posenc {}", verb_of(preset.convention)));
  line("source", preset.source);
  line("note", preset.note);
  line("as JSON", io::to_json(preset.convention));
  text += "\nEvery field, as --set names it:\n";
  for (const FieldText& field : fields_of(preset.convention)) {
    text += fmt::format("  {:<14} {}  ({})\n", field.name, field.value, field.doc);
  }
  return text;
}

}  // namespace posenc::tool
