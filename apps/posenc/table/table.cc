// SPDX-License-Identifier: Apache-2.0
// posenc table: the rows of waves at any positions, as a file and as a picture; posenc timestep: those of steps.
#include <fmt/format.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include "apps/posenc/cli/places.h"
#include "apps/posenc/cli/taken.h"
#include "apps/posenc/table/row_table.h"

namespace posenc::tool {
namespace {

// The inputs of a verb: the option that holds its positions.
struct RowsOf {
  ConventionUse use;
  std::string_view option;  // that has the positions
  std::string_view unit;    // "positions"
};

Said make_rows(const Arguments& stated, const RowsOf& of) {
  check_targets(stated);
  const Choice choice = read_choice_for(stated, of.use, {"--dim", of.option});
  const auto [arguments, notes_of_taken] = with_positions(stated, choice, of.option);
  const Places places = read_places(arguments, of.option, choice);
  const RowCall call(arguments, choice, places.count());
  const Rows rows(choice.convention, call.dim, call.options);
  RowTable table = {.shape = {places.count(), rows.width()},
                    .axes = {places.axis(), "column"},
                    .unit = "rows",
                    .axis = fmt::format("{}", fmt::join(places.axes, ", ")),
                    .title = fmt::format("{}: {} {}", choice.name, places.count(), of.unit),
                    .write =
                        [&](std::int64_t first, const View& out) {
                          rows.write(PickedPlaces(places, first, out.size(0)).lists(), out, call.options.executor);
                        },
                    .row_name = [&](std::int64_t row) { return places.name(row); },
                    .notes = notes_of_taken};
  if (rows.axes().size() == 1) table.frequencies = [&] { return rows.frequencies(); };
  return write_row_table(call, table);
}

Said make_table(const Arguments& arguments) {
  return make_rows(arguments, {ConventionUse::coordinates, "--positions", "positions"});
}

Said make_timesteps(const Arguments& arguments) {
  return make_rows(arguments, {ConventionUse::timesteps, "--steps", "steps"});
}

constexpr auto table_options = joined(convention_options,
                                      {dim_option,
                                       {positions_option.name, positions_option.value,
                                        "A, A + S, ... without B; or 3,1,4; a file of shape [L]; of several axes AXIS= "
                                        "once each, or a file [L, axes]; 0:N of a preset that states its N rows "
                                        "(max_len), 0:8 in another one's excerpt, else needed",
                                        Takes::many},
                                       recipe_option,
                                       ladder_option,
                                       learned_option},
                                      out_and_plot_options);

constexpr auto timestep_options =
    joined(convention_options,
           {dim_option,
            {"--steps", "A:B[:S]|LIST|FILE.npy",
             "A, A + S, ... without B; or 999,0.5; or a file of shape [N] (needed; an excerpt shows 0:8)"},
            recipe_option},
           out_and_plot_options);

}  // namespace

constinit const Verb table_verb =
    preset_verb("table", "rows of sines and cosines at any positions, of any number of axes",
                "posenc table whisper --dim 384 --out pe.npy --plot pe.png", table_options, make_table);

constinit const Verb timestep_verb =
    preset_verb("timestep", "rows of the steps of a diffusion process",
                "posenc timestep ddpm --dim 320 --steps 999,500,0 --out steps.npy", timestep_options, make_timesteps);

}  // namespace posenc::tool
