// SPDX-License-Identifier: Apache-2.0
// Notes on a choice, from its fields.
#include "apps/posenc/cli/notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/spec/spec.h>

#include <algorithm>

namespace posenc::tool {
namespace {

bool names_frequencies(std::string_view path) { return path.find(".frequencies") != path.npos; }

// The frequencies that a preset lists are those of no model: each checkpoint has learned or drawn its own.
bool has_example_frequencies(const Choice& choice) {
  if (choice.preset == nullptr) return false;
  const std::vector<io::PathWords> paths = io::paths_of(choice.preset->convention);
  if (std::ranges::none_of(paths, names_frequencies, &io::PathWords::path)) return false;
  return std::ranges::none_of(differences(choice.preset->convention, choice.convention),
                              [](std::string_view line) { return names_frequencies(line.substr(0, line.find(':'))); });
}

// An alias names a model or a code base, the row's own name what it holds.
bool is_called_by_an_alias(const Arguments& arguments, const Choice& choice) {
  const std::optional<std::string> name = arguments.find("--preset");
  return choice.preset != nullptr && name && *name != choice.preset->name;
}

}  // namespace

std::string stated_line(const Preset& preset) {
  return fmt::format("a model states its own {}", fmt::join(preset.stated, ", "));
}

std::vector<std::string> notes_of_stated(const Arguments& arguments, const Choice& choice) {
  if (choice.preset == nullptr || choice.preset->stated.empty()) return {};
  const auto settings = arguments.values.find("--set");
  const auto is_set = [&](std::string_view path) {
    return settings != arguments.values.end() &&
           std::ranges::any_of(settings->second, [&](const std::string& each) { return each.starts_with(path); });
  };
  if (std::ranges::all_of(choice.preset->stated, is_set)) return {};
  return {fmt::format("{}: those of {} are taken unless --set says others", stated_line(*choice.preset),
                      choice.preset->name)};
}

std::vector<std::string> notes_of_choice(const Arguments& arguments, const Choice& choice) {
  std::vector<std::string> notes = notes_of_cells(arguments, choice.numbered);
  if (has_example_frequencies(choice)) {
    notes.push_back(
        fmt::format("the frequencies of {} are an example: state those of your checkpoint by --ladder or "
                    "--set ladder.frequencies=...",
                    choice.preset->name));
  } else if (is_called_by_an_alias(arguments, choice)) {
    for (std::string& note : notes_of_stated(arguments, choice)) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace posenc::tool
