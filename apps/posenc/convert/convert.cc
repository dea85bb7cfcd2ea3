// SPDX-License-Identifier: Apache-2.0
// posenc convert: a checkpoint or a table from one convention to another one, with proof.
#include "apps/posenc/convert/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/convert/heads.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// Options that say something of one of the two alone.
constexpr std::string_view of_checkpoints[] = {"--heads",   "--kv-heads",    "--head",
                                               "--rotated", "--rotated-end", "--fused"};
constexpr std::string_view of_tables[] = {"--layout", "--first", "--rows", "--preset", "--spec", "--set", "--format"};

// Lists the missing arguments of a call that names no files.
std::vector<std::string> missing_besides_files(const Arguments& arguments) {
  std::vector<std::string> all = {"IN", "OUT"};
  const bool table = arguments.has("--layout") || arguments.has("--first") || arguments.has("--rows");
  if (!table && !arguments.has("--pairing")) all.emplace_back("--pairing (or --layout, --first or --rows)");
  const bool heads = arguments.has("--heads") || arguments.has("--config");
  if (arguments.has("--pairing") && !heads) all.emplace_back("--heads (or --config)");
  return all;
}

Said convert(const Arguments& arguments) {
  const bool checkpoint = arguments.has("--pairing");
  for (const std::string_view option : checkpoint ? std::span<const std::string_view>(of_tables) : of_checkpoints) {
    if (!arguments.has(option)) continue;
    refuse(arguments.operation, fmt::format("{} must come {} --pairing", option, checkpoint ? "without" : "with"),
           quote(arguments.get(option)));
  }
  if (arguments.operands.empty()) require_given(arguments, missing_besides_files(arguments));
  if (checkpoint) return convert_pairing(arguments);
  if (arguments.has("--layout") || arguments.has("--first") || arguments.has("--rows")) return convert_table(arguments);
  refuse(arguments.operation, "--pairing, or --layout, --first or --rows must be given", "none");
}

// "adjacent:split_half", and every other two.
std::vector<std::string> each_two(std::span<const std::string_view> words) {
  std::vector<std::string> all;
  for (const std::string_view from : words) {
    for (const std::string_view to : words) {
      if (from != to) all.push_back(fmt::format("{}:{}", from, to));
    }
  }
  return all;
}
std::vector<std::string> pairing_choices(const Arguments&) { return each_two(pairings); }
std::vector<std::string> layout_choices(const Arguments&) { return each_two(layouts); }

constexpr Option convert_options[] = {
    {"--pairing", "FROM:TO", "of a checkpoint: adjacent:split_half or split_half:adjacent", Takes::one,
     pairing_choices},
    heads_option,
    key_heads_option,
    head_option,
    rotated_option,
    rotated_end_option,
    fused_option,
    {"--layout", "FROM:TO", "of a table: two of interleaved, sine_first, cosine_first", Takes::one, layout_choices},
    {"--first", "FROM:TO", "positions of the first row of IN and of OUT (0:0)"},
    {"--rows", "N", "rows of OUT; those that IN has not are made exact (to the last one of IN)"},
    preset_option,
    spec_option,
    config_option,
    set_option,
    {format_option.name, format_option.value, "of a table at -, standard output (npy)"},
    no_sync_option};

}  // namespace

FromTo read_from_to(const Arguments& arguments, std::string_view option, std::span<const std::string_view> words) {
  const std::string text = arguments.get(option);
  const std::size_t colon = text.find(':');
  const FromTo found = {text.substr(0, colon), colon == text.npos ? "" : text.substr(colon + 1)};
  const auto known = [&](const std::string& word) { return std::ranges::find(words, word) != words.end(); };
  const std::vector<std::string> names(words.begin(), words.end());
  if (!known(found.from) || !known(found.to)) {
    refuse(arguments.operation, fmt::format("{} must be FROM:TO, each {}", option, either(names)), quote(text));
  }
  if (found.from == found.to) refuse(arguments.operation, fmt::format("{} must name two", option), quote(text));
  return found;
}

InOut read_in_out(const Arguments& arguments) {
  if (arguments.operands.size() == 2) return {arguments.operands[0], arguments.operands[1]};
  refuse(arguments.operation, "IN and OUT must be given", fmt::format("{} names", arguments.operands.size()));
}

constinit const Verb convert_verb = {
    "convert",
    "a checkpoint or a table made one of another convention",
    "FILE[:PATTERN] OUT",
    "go from IN to OUT: safetensors files or folders of them; or tables, X.npy, X.safetensors[:TENSOR] or -.",
    "posenc convert --pairing adjacent:split_half --config config.json in.safetensors out.safetensors",
    Operands::many,
    convert_options,
    convert,
    nullptr,
    "its output is the second word, OUT",
};

}  // namespace posenc::tool
