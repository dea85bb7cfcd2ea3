// SPDX-License-Identifier: Apache-2.0
// What the verbs are asked for in the same words: convention, recipe, context, type, files.
#pragma once

#include <posenc/context.h>

#include "apps/posenc/cli/choice.h"
#include "apps/posenc/cli/named_files.h"
#include "apps/posenc/cli/targets.h"

namespace posenc::tool {

/// What --dtype may be, for the completion.
std::vector<std::string> dtype_choices(const Arguments& arguments);

/// The options that the functions below read.
inline constexpr Option preset_option = {"--preset", "NAME", "a convention by name; posenc presets lists them",
                                         Takes::one, preset_choices};
inline constexpr Option spec_option = {"--spec", "FILE.json", "a convention as JSON, instead of --preset"};
inline constexpr Option config_option = {"--config", "FILE[:ROLE]", "a model's config.json, instead of --preset"};
inline constexpr Option set_option = {
    "--set", "PATH=VALUE", "changes a field, ladder.base=500000; as often as you like", Takes::many, set_choices};
inline constexpr Option convention_options[] = {preset_option, spec_option, config_option, set_option};
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
/// Options of a verb that writes numbers; then those of one that chooses their type and draws them as well.
inline constexpr Option out_options[] = {out_option, format_option, threads_option, no_sync_option};
inline constexpr Option out_and_plot_options[] = {dtype_option, out_option,     format_option,
                                                  plot_option,  threads_option, no_sync_option};

/// --dim; of a role of --config it need not be given.
std::int64_t read_dim(const Arguments& arguments, const Choice& choice);
DType read_dtype(const Arguments& arguments);
/// --length, --centre and --learned, those that are given.
Context read_context(const Arguments& arguments);
/// --threads, or as many as there are CPUs for this process.
int read_threads(const Arguments& arguments);

}  // namespace posenc::tool
