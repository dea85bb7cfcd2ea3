// SPDX-License-Identifier: Apache-2.0
// The options that table, grid and encode share, from text to values.
#include "apps/posenc/request.h"

#include <fmt/format.h>
#include <posenc/file.h>
#include <posenc/npy.h>
#include <posenc/spec.h>

#include "apps/posenc/numbers.h"
#include "apps/posenc/picture.h"
#include "apps/posenc/problem.h"
#include "apps/posenc/screen.h"
#include "apps/posenc/signals.h"
#include "apps/posenc/target.h"
#include "apps/posenc/threads.h"

namespace posenc::tool {
namespace {

Choice read_convention(const Arguments& arguments, std::optional<std::string_view> fallback) {
  const std::optional<std::string> name = arguments.find("--preset"), file = arguments.find("--spec");
  if (name && file)
    refuse(arguments.operation, "one of --preset and --spec must be given", quote(*name) + " and " + quote(*file));
  if (file) return {*file, nullptr, io::convention_from_json(io::read_file(*file, io::json_byte_limit)), exact()};
  if (!name && !fallback) refuse(arguments.operation, "--preset or --spec must be given", "none");
  const Preset& chosen = preset(name ? *name : *fallback);
  return {std::string(chosen.name), &chosen, chosen.convention, exact()};
}

Ladder read_ladder(std::string_view operation, const std::string& path) {
  const io::Array array = io::read_npy(path);
  const ConstView items = array.view();
  if (items.rank != 1 || (items.dtype != DType::f32 && items.dtype != DType::f64)) {
    refuse(operation, "--ladder must have one axis of f32 or f64",
           fmt::format("{} of {} axes of {}", quote(path), items.rank, to_string(items.dtype)));
  }
  Listed listed;
  for (std::int64_t i = 0; i < items.size(0); ++i) {
    listed.frequencies.push_back(items.dtype == DType::f32
                                     ? static_cast<double>(static_cast<const float*>(items.data)[i])
                                     : static_cast<const double*>(items.data)[i]);
  }
  return listed;
}

// The ladder of a convention whose family has one.
Ladder& ladder_of(std::string_view operation, Convention& convention) {
  if (auto* row = std::get_if<Sinusoid>(&convention)) return row->ladder;
  if (auto* cells = std::get_if<Grid>(&convention)) return cells->ladder;
  refuse(operation, "--ladder must come with a sinusoid or a grid; --spec states the fields of other families",
         quote(family(convention)));
}

Recipe read_recipe(const Arguments& arguments, const Choice& choice) {
  const std::string name = arguments.find("--recipe").value_or("exact");
  if (name != "original") return recipe(name);
  if (choice.preset == nullptr) {
    refuse(arguments.operation, "--recipe original must be a preset's; with --spec name the recipe", quote(name));
  }
  return choice.preset->original;
}

}  // namespace

Choice read_choice(const Arguments& arguments, std::optional<std::string_view> preset) {
  Choice choice = read_convention(arguments, preset);
  choice.recipe = read_recipe(arguments, choice);
  if (const std::optional<std::string> path = arguments.find("--ladder")) {
    Ladder& ladder = ladder_of(arguments.operation, choice.convention);
    ladder = read_ladder(arguments.operation, *path);
  }
  require(check_convention(choice.convention));
  return choice;
}

void require_family(std::string_view operation, const Choice& choice, std::string_view family, std::string_view hint) {
  const std::string_view found = posenc::family(choice.convention);
  if (found == family) return;
  refuse(operation, fmt::format("the convention must be of family {} ({})", family, hint),
         fmt::format("{} of family {}", quote(choice.name), found));
}

std::int64_t read_dim(const Arguments& arguments) {
  return parse_integer(arguments.operation, "--dim", arguments.get("--dim"), 1);
}

DType read_dtype(const Arguments& arguments) {
  const std::string name = arguments.find("--dtype").value_or("f32");
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    if (to_string(type) == name) return type;
  }
  refuse(arguments.operation, "--dtype must be f32, f64, f16 or bf16", quote(name));
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
    if (a.path.empty() || b.path.empty() || !io::same_file(a.path, b.path)) return;  // an empty path is refused as such
    refuse(operation, fmt::format("{} and {} must be two files", a.option, b.option),
           quote(a.path) + " and " + quote(b.path));
  };
  for (auto target = targets.begin(); target != targets.end(); ++target) {
    for (auto other = target + 1; other != targets.end(); ++other) check(*target, *other);
    if (!regular_target(target->path)) continue;  // a device or a pipe is not replaced
    for (const NamedFile& input : inputs) check(*target, input);
  }
}

void check_targets(const Arguments& arguments) {
  check_apart(arguments.operation, named_files(arguments, {"--out", "--plot"}),
              named_files(arguments, {"--spec", "--ladder", "--positions"}));
}

Targets read_targets(const Arguments& arguments) {
  const io::Sync sync = arguments.has("--no-sync") ? io::Sync::none : io::Sync::full;
  const Targets targets = {arguments.find("--out"), arguments.find("--plot"), write_options(sync)};
  if (targets.out) (void)tensor_format(arguments.operation, *targets.out);
  if (targets.plot) (void)picture_format(arguments.operation, *targets.plot);
  return targets;
}

Targets need_targets(const Arguments& arguments) {
  Targets targets = read_targets(arguments);
  if (!targets.out && !targets.plot) refuse(arguments.operation, "--out or --plot must be given", "none");
  return targets;
}

std::vector<std::string> target_notes(const Targets& targets, std::string_view what) {
  std::vector<std::string> notes;
  if (targets.out) notes.push_back(fmt::format("{}: {}", *targets.out, what));
  if (targets.plot) notes.push_back(fmt::format("{}: a picture of {}", *targets.plot, what));
  return notes;
}

}  // namespace posenc::tool
