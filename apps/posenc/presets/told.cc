// SPDX-License-Identifier: Apache-2.0
// Presets as lines, as text and as JSON; and which of them hold a word.
#include "apps/posenc/presets/told.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/spec/inspect.h>
#include <posenc/spec/spec.h>

#include <algorithm>
#include <ranges>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/notes.h"
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

Json json_of(const Preset& preset) {
  return merged({json_document(to_json(preset)), json_object({{"verb", verb_of(preset.convention)}})});
}

// A convention has two names of a family: that of its short form, where it has one, and that of its fields.
std::vector<std::string> families_of(const Preset& preset) {
  std::vector<std::string> names = {std::string(family(preset.convention))};
  const auto fields = read_object(to_json(preset.convention)).value();
  if (const std::string& of_fields = *find_text(fields, "family"); names[0] != of_fields) names.push_back(of_fields);
  return names;
}

// In lower case, and with hyphens for what stands between words: "Llama 3.1" is llama-3-1.
std::string folded(std::string_view text) {
  std::string word = in_lower_case(text);
  std::ranges::replace_if(word, [](char c) { return c == ' ' || c == '.' || c == '_'; }, '-');
  return word;
}

bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_letter(char c) { return 'a' <= c && c <= 'z'; }

// Its parts: llama, 3, 1; of qwen3_moe: qwen, 3, moe.
std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts = {""};
  char before = '-';
  for (const char c : folded(word)) {
    const bool turns = (is_letter(before) && is_digit(c)) || (is_digit(before) && is_letter(c));
    if ((c == '-' || turns) && !parts.back().empty()) parts.emplace_back();
    if (c != '-') parts.back() += c;
    before = c;
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

// However it was written: llama-3-1.
std::string spelled(std::string_view word) { return fmt::format("{}", fmt::join(parts_of(word), "-")); }

// Whether it stands in the text, its numbers whole: qwen-3 is not in qwen-30.
bool stands(std::string_view word, std::string_view text) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = word.empty() || !is_digit(word.front()) || at == 0 || !is_digit(text[at - 1]);
    const bool ends = word.empty() || !is_digit(word.back()) || end == text.size() || !is_digit(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

// What is searched of a preset.
struct Searched {
  std::vector<std::string> names;  // and its aliases
  std::string all;                 // and its source and note
};

Searched searched_of(const Preset& preset) {
  Searched text = {{spelled(preset.name)}, ""};
  for (const std::string_view alias : preset.aliases) text.names.push_back(spelled(alias));
  text.all = fmt::format("{} {} {}", fmt::join(text.names, " "), spelled(preset.source), spelled(preset.note));
  return text;
}

// Where words stand in a preset: the one word is a name, all are in its names, in anything else; nearest first.
enum class Found : std::uint8_t { as_name = 1, in_names, elsewhere };

std::optional<Found> found_in(const Searched& text, const std::vector<std::string>& words) {
  const auto all_in = [&](std::string_view in) {
    return std::ranges::all_of(words, [&](const std::string& word) { return stands(word, in); });
  };
  if (words.size() == 1 && std::ranges::find(text.names, words[0]) != text.names.end()) return Found::as_name;
  if (std::ranges::any_of(text.names, all_in)) return Found::in_names;
  return all_in(text.all) ? std::optional(Found::elsewhere) : std::nullopt;
}

// Those of a family, if one is asked for.
bool is_asked_for(const Arguments& arguments, const Preset& preset) {
  const std::optional<std::string> of_family = arguments.find("--family");
  const std::vector<std::string> families = families_of(preset);
  return !of_family || std::ranges::find(families, *of_family) != families.end();
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
    std::vector<Json> all;
    for (const Preset& preset : listed) all.push_back(json_of(preset));
    return one_line({{"operation", "presets"}, {"presets", all}});
  }
  std::size_t widest = 18, recipe = 18;
  for (const Preset& preset : listed) {
    widest = std::max(widest, preset.name.size());
    recipe = std::max(recipe, preset.original.name.size());
  }
  constexpr std::string_view row = "{:<{}} {:<15} {:<13} {:<{}} {:<6} {:<15}\n";
  std::string text =
      fmt::format(fmt::runtime(row), "preset", widest, "family", "layout", "original recipe", recipe, "scale", "axes");
  for (const Preset& preset : listed) {
    text += fmt::format(fmt::runtime(row), preset.name, widest, family(preset.convention), layout_of(preset.convention),
                        preset.original.name, recipe, words(preset.stage.scale), words(preset.stage.axes));
  }
  return text + "\nposenc presets NAME tells all about one.\n";
}

std::vector<Preset> presets_that_hold(const Arguments& arguments, std::string_view word) {
  const std::vector<std::string> parts = parts_of(word);
  if (parts.empty() && !word.empty()) return {};
  const auto having = [&](const std::vector<std::string>& words) {
    std::vector<std::pair<Found, Preset>> ranked;
    for (const Preset& preset : presets()) {
      if (!is_asked_for(arguments, preset)) continue;
      if (const auto found = found_in(searched_of(preset), words)) ranked.emplace_back(*found, preset);
    }
    std::ranges::stable_sort(ranked, {}, &std::pair<Found, Preset>::first);
    std::vector<Preset> found;
    for (auto& [rank, preset] : ranked) found.push_back(std::move(preset));
    return found;
  };
  const std::vector<Preset> found = having({spelled(word)});
  return found.empty() ? having(parts) : found;
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
  const auto is_meant = [&](std::string_view each) { return spelled(each) == spelled(word); };
  const auto known = std::ranges::find_if(
      names_without_preset(), [&](const WithoutPreset& each) { return std::ranges::any_of(each.names, is_meant); });
  if (known == names_without_preset().end()) return std::nullopt;
  if (arguments.has("--json")) {
    return one_line({{"operation", "presets"}, {"presets", json_list({})}, {"name", name}, {"reason", known->reason}});
  }
  const std::vector<Preset> found = presets_that_hold(arguments, name);
  return fmt::format("{}: {}\n", name, known->reason) + (found.empty() ? "" : "\n" + list_of(arguments, found));
}

std::vector<std::string> notes_of_type(std::string_view word) {
  std::vector<std::string> notes;
  for (const std::string_view type : model_types()) {
    if (spelled(type) != spelled(word)) continue;
    notes.push_back(
        fmt::format("{} is a model type: of its config.json, posenc inspect tells the preset of each role", type));
  }
  return notes;
}

std::string told(const Arguments& arguments, const Preset& preset, std::span<const std::string_view> others) {
  if (arguments.has("--json")) {
    return one_line({{"operation", "presets"}, {"presets", json_list({json_of(preset)})}, {"others", others}});
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
  if (!preset.stated.empty()) line("stated", stated_line(preset));
  line("as JSON", to_json(preset.convention));
  text += "\nEvery field, as --set names it:\n";
  for (const FieldText& field : fields_of(preset.convention)) {
    text += fmt::format("  {:<14} {}  ({})\n", field.name, field.value, field.doc);
  }
  return text;
}

}  // namespace posenc::tool
