// SPDX-License-Identifier: Apache-2.0
// posenc inspect: the positions of a model, from its own configuration; of two models, where they differ.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <posenc/spec/inspect.h>

#include <ranges>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_tokens = std::int64_t{1} << 53;

// The error of a call for all positions of a model of which some are missing, unless --partial takes the others.
std::optional<Problem> problem_of_missing(const Arguments& arguments, const ModelPositions& positions) {
  if (positions.missing.empty() || arguments.has("--partial")) return std::nullopt;
  const auto name = [](const MissingPositions& each) { return each.name.empty() ? "those of the whole" : each.name; };
  return Problem{std::string(arguments.operation),
                 "all positions of a model must be read, unless --partial takes those that are",
                 fmt::format("{} without {}", quote(positions.source),
                             fmt::join(positions.missing | std::views::transform(name), ", "))};
}

Said one(const Arguments& arguments, const ModelPositions& positions) {
  return {.text = arguments.has("--json") ? to_json(positions) + "\n" : to_string(positions),
          .problem = problem_of_missing(arguments, positions)};
}

std::vector<std::string> words_of_missing(const ModelPositions& positions) {
  std::vector<std::string> words;
  for (const MissingPositions& each : positions.missing) words.push_back(to_string(each));
  return words;
}

Said two(const Arguments& arguments, const ModelPositions& a, const ModelPositions& b) {
  const std::vector<std::string> found = differences(a, b);
  std::optional<Problem> problem = problem_of_missing(arguments, a);
  if (!problem) problem = problem_of_missing(arguments, b);
  if (arguments.has("--json")) {
    return {.text = one_line({{"operation", "inspect"},
                              {"sources", json_list({a.source, b.source})},
                              {"differences", found},
                              {"missing", json_list({words_of_missing(a), words_of_missing(b)})}}),
            .problem = problem};
  }
  std::string text = found.empty() ? fmt::format("{} and {} have the same positions\n", a.source, b.source) : "";
  for (const std::string& difference : found) text += difference + "\n";
  for (const ModelPositions* each : {&a, &b}) {
    for (const std::string& words : words_of_missing(*each)) {
      text += fmt::format("missing of {}: {}\n", each->source, words);
    }
  }
  return {.text = text, .problem = problem};
}

Said run_inspect(const Arguments& arguments) {
  const std::vector<std::string>& paths = arguments.operands;
  if (paths.empty() || paths.size() > 2) {
    refuse(arguments.operation, "one configuration must be given, or two", std::to_string(paths.size()));
  }
  const std::string as = arguments.find("--as").value_or(""), part = arguments.find("--part").value_or("");
  InspectOptions options = {.as = as, .part = part};
  if (const auto length = arguments.find("--length")) {
    options.length = parse_integer(arguments.operation, "--length", *length, 1, most_tokens);
  }
  const ModelPositions first = read_configuration(paths[0], options);
  if (paths.size() == 1) return one(arguments, first);
  return two(arguments, first, read_configuration(paths[1], options));
}

std::vector<std::string> type_choices(const Arguments&) {
  const std::vector<std::string_view> types = model_types();
  return {types.begin(), types.end()};
}

constexpr Option inspect_options[] = {
    {"--as", "TYPE", "the model type, in place of the configuration's own", Takes::one, type_choices},
    {"--part", "text|vision|audio|encoder|decoder|thinker", "that part of a configuration alone"},
    {"--length", "N", "tokens, where frequencies depend on them"},
    {"--partial", "", "take what is read, though parts of the model are not", Takes::nothing}};

}  // namespace

constinit const Verb inspect_verb = {
    "inspect",
    "the positions of a model, from its own configuration",
    "FILE [FILE]",
    "is a config.json, a folder that has one, or -; of two, what differs.",
    "posenc inspect config.json",
    Operands::many,
    inspect_options,
    run_inspect,
};

}  // namespace posenc::tool
