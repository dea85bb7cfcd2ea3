// SPDX-License-Identifier: Apache-2.0
// What the verbs are asked for in the same words: convention, recipe, context, type, files.
#pragma once

#include <posenc/context.h>
#include <posenc/file.h>
#include <posenc/preset.h>

#include <initializer_list>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/numbering.h"
#include "apps/posenc/cli/target.h"

namespace posenc::tool {

/// Taken where no convention is named, by verbs that can do without.
inline constexpr std::string_view default_preset = "transformer";

/// What the options may be, for the completion.
std::vector<std::string> preset_choices(const Arguments& arguments);
std::vector<std::string> recipe_choices(const Arguments& arguments);
std::vector<std::string> dtype_choices(const Arguments& arguments);
std::vector<std::string> set_choices(const Arguments& arguments);
/// The same of --set for a convention: "layout=interleaved", "ladder.base=" where the value is no word.
std::vector<std::string> change_choices(const Arguments& arguments, const Convention& convention);

/// The options that the functions below read.
inline constexpr Option preset_option = {"--preset", "NAME", "a convention by name; posenc presets lists them",
                                         Takes::one, preset_choices};
inline constexpr Option spec_option = {"--spec", "FILE.json", "a convention as JSON, instead of --preset"};
inline constexpr Option config_option = {"--config", "FILE[:ROLE]", "a model's config.json, instead of --preset"};
inline constexpr Option set_option = {
    "--set", "PATH=VALUE", "changes a field, ladder.base=500000; as often as you like", Takes::many, set_choices};
inline constexpr Option dim_option = {"--dim", "D", "the width d of a row (needed)"};
inline constexpr Option recipe_option = {"--recipe", "NAME", "the arithmetic: exact (the default), original, or a name",
                                         Takes::one, recipe_choices};
inline constexpr Option length_option = {"--length", "N",
                                         "tokens of the whole sequence: dynamic NTK and LongRoPE ask for it"};
inline constexpr Option centre_option = {"--centre", "C", "the position at which a decay is 1: xPos asks for it"};
inline constexpr Option learned_option = {"--learned", "C", "the factor of a learned scale: SpeechT5 asks for it"};
inline constexpr Option ladder_option = {"--ladder", "FILE.npy", "your own frequencies in radians per position"};
inline constexpr Option dtype_option = {"--dtype", "TYPE", "f32 (the default), f64, f16 or bf16", Takes::one,
                                        dtype_choices};
inline constexpr Option plot_option = {"--plot", "P.png|P.svg|-", "a picture of the numbers; - draws in the terminal"};
inline constexpr Option threads_option = {"--threads", "N",
                                          "most threads, 1 to 1024 (as many as CPUs); no bit depends on it"};
inline constexpr Option no_sync_option = {"--no-sync", "", "do not wait until the file is on the disk", Takes::nothing};

/// A convention, and the arithmetic that rounds it.
struct Choice {
  std::string name;      ///< the preset's or the spec's file, and what the options change
  const Preset* preset;  ///< nullptr for a spec
  Convention convention;
  Recipe recipe;
  CellNumbers numbered = {};             ///< how cells are, whatever --set and --ladder change
  std::optional<std::int64_t> dim = {};  ///< of a role of --config: columns of its head or of its row
  std::optional<Scale> scale = {};       ///< of a role of --config, where it is an embedding's
  std::vector<std::int64_t> cells = {};  ///< of a role of --config: height and width of its window
};

/// --preset, --spec or --config, --set, --ladder, --recipe. `preset` is taken where neither of the first two is given.
Choice read_choice(const Arguments& arguments, std::optional<std::string_view> preset = std::nullopt);
/// The convention with what --set and --ladder change of it.
Convention changed(const Arguments& arguments, const Convention& convention);
/// "transformer with layout=sine_first": a changed convention is not the preset.
std::string changed_name(const Arguments& arguments, std::string_view name);
/// The verb that makes what a convention gives: "rotary".
std::string_view verb_of(const Convention& convention);
/// Refuses a convention that does not give what it is used for, and names that verb.
void require_use(std::string_view operation, const Choice& choice, Use use);
/// --dim; of a role of --config it need not be given.
std::int64_t read_dim(const Arguments& arguments, const Choice& choice);
DType read_dtype(const Arguments& arguments);
/// --length, --centre and --learned, those that are given.
Context read_context(const Arguments& arguments);
/// --threads, or as many as there are CPUs for this process.
int read_threads(const Arguments& arguments);

/// A file by the option that names it.
struct NamedFile {
  std::string option, path;
};
/// The files of those options that are given.
std::vector<NamedFile> named_files(const Arguments& arguments, std::initializer_list<std::string_view> options);
/// Those of --spec and --config.
std::vector<NamedFile> convention_files(const Arguments& arguments);
/// Refuses a target that is another target or an input, under whatever name; asked before anything is read.
void check_apart(std::string_view operation, std::span<const NamedFile> targets, std::span<const NamedFile> inputs);
/// The same of all files that a verb reads but its tensors.
void check_targets(const Arguments& arguments);

/// Where the results go: the numbers, and a picture of them, whose name ends in .png or .svg; and how files are
/// written.
struct Targets {
  std::optional<Out> out;
  std::optional<std::string> plot;
  io::WriteOptions writing;

  /// Neither: an excerpt is shown.
  bool none() const { return !out && !plot; }
};
Targets read_targets(const Arguments& arguments);
/// One note for each file that was written.
std::vector<std::string> target_notes(const Targets& targets, std::string_view what);

}  // namespace posenc::tool
