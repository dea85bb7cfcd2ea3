// SPDX-License-Identifier: Apache-2.0
// posenc resize: a learned table of an image's cells, made for an image of other extents.
#include <fmt/format.h>
#include <posenc/resize.h>

#include "apps/posenc/cli/about.h"
#include "apps/posenc/cli/excerpt.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/source.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/table/answer.h"
#include "apps/posenc/table/tensor.h"

namespace posenc::tool {
namespace {

constexpr std::int64_t most_resized = std::int64_t{1} << 11;

std::int64_t side_of(const Arguments& arguments, std::string_view option) {
  return parse_integer(arguments.operation, option, arguments.get(option), 1, most_resized);
}

// Without options the table is square, as its original assumes.
GridSize source_of(const Arguments& arguments, const Convention& convention, const ConstView& table) {
  const bool stated = arguments.has("--from-height") || arguments.has("--from-width");
  if (!stated) return square_table(convention, table);
  return {side_of(arguments, "--from-height"), side_of(arguments, "--from-width")};
}

Said resize_file(const Arguments& arguments) {
  const std::vector<NamedFile> in = named_files(arguments, {"--in"});
  check_targets(arguments);
  check_apart(arguments.operation, named_files(arguments, {"--out"}), in);
  const Choice choice = read_choice_for(arguments, ConventionUse::resized_tables, {"--in", "--height", "--width"});
  const GridSize to = {side_of(arguments, "--height"), side_of(arguments, "--width")};
  const Targets targets = read_targets(arguments);
  Threads threads(read_threads(arguments));
  require(check_convention(choice.convention));
  const io::Array table = read_source(arguments.operation, "--in", arguments.get("--in")).array;
  const GridSize from = source_of(arguments, choice.convention, table.view());
  const std::int64_t rows = table_rows(choice.convention, to), columns = table.view().size(-1);
  Tensor made = room_for(arguments.operation, {"table", table.dtype, {rows, columns}, {}});
  if (targets.out) check_out(arguments.operation, *targets.out, made.dtype, std::ssize(made.bytes));
  resize_table(choice.convention, table.view(), from, to, made.view(), {.executor = threads.executor()});
  if (targets.out) write_tensors(std::span(&made, 1), *targets.out, about(arguments, choice), {});
  const std::string what = fmt::format("{} [{}, {}], from {} x {} to {} x {} cells, {}", to_string(made.dtype), rows,
                                       columns, from.height, from.width, to.height, to.width, choice.name);
  return said_of({.words = what,
                  .report = {{"from", json_list({from.height, from.width})},
                             {"to", json_list({to.height, to.width})},
                             {"dtype", to_string(made.dtype)},
                             {"shape", made.shape}},
                  .shown = [&] { return excerpt_lines(excerpt_of(what, made.view())); }},
                 arguments, choice, targets);
}

constexpr auto resize_options =
    joined({preset_option,
            spec_option,
            set_option,
            {"--in", "FILE[:TENSOR]",
             "the table, a row for each cell and each extra token: X.npy, X.safetensors:TENSOR, - (needed)"},
            {"--from-height", "H", "lines of cells of the table; a square without it"},
            {"--from-width", "W", "cells of a line of the table"},
            {"--height", "H", "lines of cells of the result (needed)"},
            {"--width", "W", "cells of a line of the result (needed)"}},
           out_options);

}  // namespace

constinit const Verb resize_verb = preset_verb(
    "resize", "a learned table of an image, for another image",
    "posenc resize timm-resize --in table.npy --height 24 --width 24 --out out.npy", resize_options, resize_file);

}  // namespace posenc::tool
