// SPDX-License-Identifier: Apache-2.0
// The options that verbs share, from text to values.
#include "apps/posenc/cli/request.h"

#include <fmt/format.h>
#include <posenc/file.h>
#include <posenc/npy.h>
#include <posenc/spec.h>
#include <unistd.h>

#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/elements.h"
#include "apps/posenc/cli/nearest.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/plot.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/source.h"
#include "apps/posenc/cli/target.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/picture/picture.h"
#include "apps/posenc/terminal/screen.h"
#include "apps/posenc/terminal/signals.h"

namespace posenc::tool {
namespace {

constexpr std::string_view original_recipe = "original";
constexpr DType dtypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

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
    const Convention stated = io::convention_from_json(
        *file == standard_stream ? io::read_descriptor(STDIN_FILENO, standard_input_title, io::json_byte_limit)
                                 : io::read_file(*file, io::json_byte_limit));
    return {*file, nullptr, stated, exact(), numbered_as(stated)};
  }
  if (config) {
    const PositionRole role = read_role(arguments.operation, *config);
    return {
        *config,    nullptr,   *role.convention, exact(), numbered_as(role.places), role.head ? role.head : role.width,
        role.scale, role.cells};
  }
  if (!name && !fallback) refuse(arguments.operation, "--preset, --spec or --config must be given", "none");
  const Preset& chosen = preset(name ? *name : *fallback);
  return {std::string(chosen.name), &chosen, chosen.convention, exact(), numbered_as(chosen.places)};
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
  for (const Use use : {Use::tokens, Use::cells, Use::rotations}) {
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

std::vector<std::string> dtype_choices(const Arguments&) {
  std::vector<std::string> names;
  for (const DType type : dtypes) names.emplace_back(to_string(type));
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
  if (!changes.empty()) result = with(result, changes);
  if (const std::optional<std::string> path = arguments.find("--ladder")) {
    check_ladder_option(arguments, result);
    result = with(result, {{"ladder", "listed"},
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
  constexpr std::pair<Use, std::string_view> verbs[] = {
      {Use::tokens, "table"}, {Use::timesteps, "timestep"}, {Use::cells, "grid"}, {Use::rotations, "rotary"}};
  for (const auto& [use, verb] : verbs) {
    if (!check_use(verb, use, convention)) return verb;
  }
  return "bias";
}

void require_use(std::string_view operation, const Choice& choice, Use use) {
  const std::optional<Problem> problem = check_use(operation, use, choice.convention);
  if (!problem) return;
  refuse(operation, fmt::format("{} (this one is for posenc {})", problem->rule, verb_of(choice.convention)),
         fmt::format("{} of family {}", quote(choice.name), family(choice.convention)));
}

std::int64_t read_dim(const Arguments& arguments, const Choice& choice) {
  if (choice.dim && !arguments.has("--dim")) return *choice.dim;
  return parse_integer(arguments.operation, "--dim", arguments.get("--dim"), 1);
}

DType read_dtype(const Arguments& arguments) {
  const std::string name = arguments.find("--dtype").value_or("f32");
  for (const DType type : dtypes) {
    if (to_string(type) == name) return type;
  }
  refuse(arguments.operation, fmt::format("--dtype must be {}", either(dtype_choices(arguments))), quote(name));
}

Context read_context(const Arguments& arguments) {
  Context context;
  const auto real = [&](std::string_view option) -> std::optional<double> {
    const std::optional<std::string> text = arguments.find(option);
    return text ? std::optional(parse_real(arguments.operation, option, *text)) : std::nullopt;
  };
  if (const auto length = arguments.find("--length")) {
    context.length = parse_integer(arguments.operation, "--length", *length, 1);
  }
  context.centre = real("--centre");
  context.learned = real("--learned");
  return context;
}

int read_threads(const Arguments& arguments) {
  const std::optional<std::string> threads = arguments.find("--threads");
  if (!threads) return cpus();
  return static_cast<int>(parse_integer(arguments.operation, "--threads", *threads, 1, most_threads));
}

std::vector<NamedFile> named_files(const Arguments& arguments, std::initializer_list<std::string_view> options) {
  std::vector<NamedFile> files;
  for (const std::string_view option : options) {
    if (const auto path = arguments.find(option)) files.push_back({std::string(option), *path});
  }
  return files;
}

void check_apart(std::string_view operation, std::span<const NamedFile> targets, std::span<const NamedFile> inputs) {
  const auto check = [&](const NamedFile& a, const NamedFile& b) {
    for (const std::string& path : {a.path, b.path}) {
      if (path.empty() || path == standard_stream) return;  // an empty path is refused as such
    }
    if (!io::same_file(a.path, b.path)) return;
    refuse(operation, fmt::format("{} and {} must be two files", a.option, b.option),
           quote(a.path) + " and " + quote(b.path));
  };
  for (auto target = targets.begin(); target != targets.end(); ++target) {
    for (auto other = target + 1; other != targets.end(); ++other) check(*target, *other);
    if (!regular_target(target->path)) continue;  // a device or a pipe is not replaced
    for (const NamedFile& input : inputs) check(*target, input);
  }
}

std::vector<NamedFile> convention_files(const Arguments& arguments) {
  std::vector<NamedFile> files = named_files(arguments, {"--spec"});
  if (const auto config = arguments.find("--config")) files.push_back({"--config", parse_role(*config).file});
  return files;
}

void check_targets(const Arguments& arguments) {
  std::vector<NamedFile> inputs = convention_files(arguments);
  for (const NamedFile& file : named_files(arguments, {"--ladder"})) inputs.push_back(file);
  for (const std::string_view option : {"--positions", "--steps", "--queries", "--keys"}) {
    for (const std::string& words : arguments.all(option)) {
      const std::size_t sign = words.find('=');
      for (const std::string& path : {words, words.substr(sign == words.npos ? 0 : sign + 1)}) {
        if (path.ends_with(".npy")) inputs.push_back({std::string(option), path});
      }
    }
  }
  check_apart(arguments.operation, named_files(arguments, {"--out", "--plot"}), inputs);
}

void check_plot(const Arguments& arguments) {
  const std::optional<std::string> plot = arguments.find("--plot");
  if (!plot || picture_format(arguments.operation, *plot) != PictureFormat::terminal) return;
  if (arguments.find("--out") == standard_stream) {
    refuse(arguments.operation, "one of --out - and --plot - must be given, as both go to standard output", "both");
  }
  if (arguments.has("--json")) {
    refuse(arguments.operation, "--plot - must come without --json, as both go to standard output", "both");
  }
}

Targets read_targets(const Arguments& arguments) {
  const io::Sync sync = arguments.has("--no-sync") ? io::Sync::none : io::Sync::full;
  const io::WriteOptions writing = write_options(sync);
  const Targets targets = {read_out(arguments, writing), arguments.find("--plot"), writing};
  check_plot(arguments);
  return targets;
}

std::vector<std::string> target_notes(const Targets& targets, std::string_view what) {
  std::vector<std::string> notes;
  if (targets.out) notes.push_back(fmt::format("{}: {}", targets.out->title(), what));
  if (targets.plot && *targets.plot != standard_stream) {
    notes.push_back(fmt::format("{}: a picture of {}", *targets.plot, what));
  }
  return notes;
}

}  // namespace posenc::tool
