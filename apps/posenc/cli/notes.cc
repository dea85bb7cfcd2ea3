// SPDX-License-Identifier: Apache-2.0
// Notes on a choice, from its fields.
#include "apps/posenc/cli/notes.h"

#include <fmt/format.h>
#include <posenc/spec.h>

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

}  // namespace

std::vector<std::string> notes_of_choice(const Arguments& arguments, const Choice& choice) {
  std::vector<std::string> notes = notes_of_cells(arguments, choice.numbered);
  if (has_example_frequencies(choice)) {
    notes.push_back(
        fmt::format("the frequencies of {} are an example: state those of your checkpoint by --ladder or "
                    "--set ladder.frequencies=...",
                    choice.preset->name));
  }
  return notes;
}

}  // namespace posenc::tool
