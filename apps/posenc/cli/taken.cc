// SPDX-License-Identifier: Apache-2.0
// Completed calls: options and values as a user would type them, so that the note can be copied.
#include "apps/posenc/cli/taken.h"

#include <fmt/format.h>

#include "apps/posenc/cli/extents.h"

namespace posenc::tool {
namespace {

using Setting = std::pair<std::string, std::string>;  // an option and its value

Completed with_settings(const Arguments& arguments, std::span<const Setting> settings, std::string_view whose) {
  Completed completed{arguments};
  std::string words;
  for (const auto& [option, value] : settings) {
    completed.arguments.values[option].push_back(value);
    words += fmt::format(" {} {}", option, value);
  }
  completed.notes.push_back(fmt::format("taken, as none are stated:{}{}", words, whose));
  return completed;
}

std::string first_positions(std::int64_t count) { return fmt::format("0:{}", count); }

}  // namespace

bool is_shown(const Arguments& arguments) {
  const std::optional<std::string> plot = arguments.find("--plot");
  return !arguments.has("--out") && !arguments.has("--json") && (!plot || *plot == standard_stream);
}

Completed with_positions(const Arguments& arguments, const Choice& choice, std::string_view option,
                         std::int64_t shown) {
  const bool own = choice.rows.has_value();
  if (arguments.has(option) || has_extents(arguments) || (!own && !is_shown(arguments))) return {arguments};
  const std::string words = first_positions(own ? *choice.rows : shown);
  const std::vector<std::string> axes = axes_of(choice.convention);
  std::vector<Setting> settings;
  for (const std::string& axis : axes) settings.emplace_back(option, fmt::format("{}={}", axis, words));
  if (axes.size() < 2) settings = {{std::string(option), words}};
  const std::string_view whose = !own                       ? ""
                                 : choice.preset != nullptr ? ", the rows of the original's table"
                                                            : ", the rows of the model's table";
  return with_settings(arguments, settings, whose);
}

Completed with_queries_and_keys(const Arguments& arguments) {
  if (!is_shown(arguments) || arguments.has("--queries") || arguments.has("--keys")) return {arguments};
  const std::string words = first_positions(shown_positions);
  return with_settings(arguments, std::vector<Setting>{{"--queries", words}, {"--keys", words}}, "");
}

Completed with_extents(const Arguments& arguments, const std::vector<std::string>& axes) {
  if (!is_shown(arguments) || has_extents(arguments)) return {arguments};
  std::vector<Setting> settings;
  for (const std::string& axis : axes) settings.push_back(extent_setting(axis, shown_positions));
  return with_settings(arguments, settings, "");
}

}  // namespace posenc::tool
