// SPDX-License-Identifier: Apache-2.0
// Conventions from --preset, --spec and --config to what --set, --ladder and --recipe make of them.
#include "apps/posenc/cli/choice.h"

#include <fmt/format.h>
#include <posenc/io/file.h>
#include <posenc/io/npy.h>
#include <posenc/spec/spec.h>
#include <unistd.h>

#include <algorithm>

#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/extents.h"
#include "apps/posenc/cli/nearest.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/source.h"
#include "apps/posenc/cli/taken.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view original_recipe = "original";
constexpr std::string_view convention_words = "a preset (or --spec or --config)";

// Errors name the file, which the text alone does not know.
Convention read_spec(const std::string& path) {
  const bool piped = path == standard_stream;
  const std::string text = piped ? io::read_descriptor(STDIN_FILENO, standard_input_title, io::json_byte_limit)
                                 : io::read_file(path, io::json_byte_limit);
  try {
    return io::convention_from_json(text);
  } catch (const Error& error) {
    Problem problem = error.problem();
    problem.value += fmt::format(" in {}", quote(piped ? standard_input_title : path));
    throw Error(std::move(problem));
  }
}

// Tables of tokens alone: a row of a learned table need not be its position.
std::optional<std::int64_t> own_rows(const Convention& convention, std::optional<std::int64_t> stated) {
  return check_use("table", ConventionUse::tokens, convention) ? std::nullopt : stated;
}

Choice read_convention(const Arguments& arguments, std::optional<std::string_view> fallback) {
  const std::optional<std::string> name = arguments.find("--preset"), file = arguments.find("--spec"),
                                   config = arguments.find("--config");
  const auto one_alone = [&](const auto& a, const auto& b, std::string_view rule) {
    if (a && b) refuse(arguments.operation, std::string(rule), quote(*a) + " and " + quote(*b));
  };
  one_alone(name, file, "one of --preset and --spec must be given");
  one_alone(name, config, "one of --preset and --config must be given");
  one_alone(file, config, "one of --spec and --config must be given");
  if (file) {
    const Convention stated = read_spec(*file);
    return {*file, nullptr, stated, exact(), numbered_as(stated)};
  }
  if (config) {
    const PositionRole role = read_role(arguments.operation, *config);
    return {*config,
            nullptr,
            *role.convention,
            exact(),
            numbered_as(role.places),
            role.head ? role.head : role.width,
            role.scale,
            role.cells,
            own_rows(*role.convention, role.rows)};
  }
  if (!name && !fallback) require_given(arguments, std::vector<std::string>{std::string(convention_words)});
  const std::string_view words = name ? std::string_view(*name) : *fallback;
  const Preset* known = find_named(words);
  const Preset& chosen = known != nullptr ? *known : preset(words);  // which says what is near
  Choice choice = {std::string(chosen.name), &chosen, chosen.convention, exact(), numbered_as(chosen.places)};
  choice.rows = own_rows(chosen.convention, chosen.stage.max_len);
  return choice;
}

std::vector<double> read_ladder(std::string_view operation, const std::string& path) {
  const io::Array array = read_source(operation, "--ladder", path).array;
  const ConstView items = array.view();
  if (items.rank != 1 || (items.dtype != DType::f32 && items.dtype != DType::f64)) {
    refuse(operation, "--ladder must have one axis of f32 or f64",
           fmt::format("{} of {} axes of {}", quote(path), items.rank, to_string(items.dtype)));
  }
  std::vector<double> frequencies(static_cast<std::size_t>(items.size(0)));
  read_row(items, frequencies);
  return frequencies;
}

// Other families state their frequencies otherwise, or have none.
void check_ladder_option(const Arguments& arguments, const Convention& convention) {
  for (const ConventionUse use : {ConventionUse::tokens, ConventionUse::cells, ConventionUse::rotations}) {
    if (!check_use(arguments.operation, use, convention)) return;
  }
  refuse(arguments.operation,
         "--ladder must come with a sinusoid, a grid or a rotation; --spec states the fields of other families",
         quote(family(convention)));
}

Recipe read_recipe(const Arguments& arguments, const Choice& choice) {
  const std::string name = arguments.find("--recipe").value_or("exact");
  if (name != original_recipe) {
    if (const Recipe* named = find_recipe(name)) return *named;
    refuse(arguments.operation,
           fmt::format("--recipe must be one of posenc presets --recipes{}",
                       nearest_words(name, recipe_choices(arguments))),
           quote(name));
  }
  if (choice.preset == nullptr) {
    refuse(arguments.operation, "--recipe original must be a preset's; with --spec name the recipe", quote(name));
  }
  return choice.preset->original;
}

// What --set says; the paths are views of the arguments.
std::vector<FieldChange> read_changes(const Arguments& arguments) {
  std::vector<FieldChange> changes;
  const auto settings = arguments.values.find("--set");
  if (settings == arguments.values.end()) return changes;
  for (const std::string_view setting : settings->second) {
    const std::size_t sign = setting.find('=');
    if (sign == setting.npos || sign == 0) refuse(arguments.operation, "--set must be PATH=VALUE", quote(setting));
    changes.push_back({setting.substr(0, sign), setting.substr(sign + 1)});
  }
  return changes;
}

}  // namespace

std::vector<std::string> preset_choices(const Arguments&) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  return names;
}

std::vector<std::string> recipe_choices(const Arguments&) {
  std::vector<std::string> names = {std::string(original_recipe)};
  for (const Recipe& recipe : recipes()) names.push_back(recipe.name);
  return names;
}

std::vector<std::string> change_choices(const Arguments& arguments, const Convention& convention) {
  std::vector<std::string> choices;
  for (const io::PathWords& each : io::paths_of(convention, read_changes(arguments))) {
    if (each.words.empty()) choices.push_back(each.path + "=");
    for (const std::string_view word : each.words) choices.push_back(fmt::format("{}={}", each.path, word));
  }
  return choices;
}

std::vector<std::string> set_choices(const Arguments& arguments) {
  return change_choices(arguments, read_convention(arguments, default_preset).convention);
}

const Preset* find_named(std::string_view name) {
  if (const Preset* exact = find_preset(name)) return exact;
  const std::string word = in_lower_case(name);
  const auto is_word = [&](std::string_view each) { return in_lower_case(each) == word; };
  const auto found = std::ranges::find_if(
      presets(), [&](const Preset& each) { return is_word(each.name) || std::ranges::any_of(each.aliases, is_word); });
  return found == presets().end() ? nullptr : &*found;
}

bool names_convention(const Arguments& arguments) {
  return arguments.has("--preset") || arguments.has("--spec") || arguments.has("--config");
}

Choice read_choice_for(const Arguments& arguments, std::optional<ConventionUse> use,
                       std::initializer_list<std::string_view> needed, const FurtherMissing& further) {
  std::vector<std::string> all = missing(arguments, needed);
  if (has_extents(arguments)) std::erase(all, "--positions");
  if (is_shown(arguments)) std::erase(all, "--positions"), std::erase(all, "--steps");
  if (!names_convention(arguments)) {
    all.insert(all.begin(), std::string(convention_words));
    require_given(arguments, all);
  }
  Choice choice = read_choice(arguments);
  if (use) require_use(arguments.operation, choice, *use);
  if (choice.dim) std::erase(all, "--dim");
  if (choice.rows) std::erase(all, "--positions");
  std::vector<std::string> lacked = further ? further(choice) : std::vector<std::string>();
  std::ranges::move(all, std::back_inserter(lacked));
  require_given(arguments, lacked);
  return choice;
}

Choice read_choice(const Arguments& arguments, std::optional<std::string_view> preset) {
  Choice choice = read_convention(arguments, preset);
  choice.recipe = read_recipe(arguments, choice);
  choice.convention = changed(arguments, choice.convention);
  choice.name = changed_name(arguments, choice.name);
  require(check_convention(choice.convention));
  return choice;
}

Convention changed(const Arguments& arguments, const Convention& convention) {
  Convention result = convention;
  const std::vector<FieldChange> changes = read_changes(arguments);
  if (!changes.empty()) result = with_fields(result, changes);
  if (const std::optional<std::string> path = arguments.find("--ladder")) {
    check_ladder_option(arguments, result);
    result = with_fields(result, {{"ladder", "listed"},
                                  {"ladder.unit", "radians"},
                                  {"ladder.frequencies", read_ladder(arguments.operation, *path)}});
  }
  return result;
}

std::string changed_name(const Arguments& arguments, std::string_view name) {
  std::vector<std::string> changes = arguments.all("--set");
  if (const std::optional<std::string> path = arguments.find("--ladder")) changes.push_back("ladder=" + *path);
  return changes.empty() ? std::string(name) : fmt::format("{} with {}", name, fmt::join(changes, " and "));
}

std::string_view verb_of(const Convention& convention) {
  constexpr std::pair<ConventionUse, std::string_view> verbs[] = {{ConventionUse::tokens, "table"},
                                                                  {ConventionUse::timesteps, "timestep"},
                                                                  {ConventionUse::cells, "grid"},
                                                                  {ConventionUse::rotations, "rotary"}};
  for (const auto& [use, verb] : verbs) {
    if (!check_use(verb, use, convention)) return verb;
  }
  return "bias";
}

void require_use(std::string_view operation, const Choice& choice, ConventionUse use) {
  const std::optional<Problem> problem = check_use(operation, use, choice.convention);
  if (!problem) return;
  refuse(operation, fmt::format("{} (this one is for posenc {})", problem->rule, verb_of(choice.convention)),
         fmt::format("{} of family {}", quote(choice.name), family(choice.convention)));
}

}  // namespace posenc::tool
