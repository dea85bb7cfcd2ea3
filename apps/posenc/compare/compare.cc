// SPDX-License-Identifier: Apache-2.0
// posenc compare: two conventions beside each other, each a preset, a spec, a model's role, or what a file holds.
#include <fmt/format.h>
#include <posenc/preset.h>
#include <posenc/referee/referee.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/named_convention.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"

namespace posenc::tool {
namespace {

// The width of a call, else the one that the names state alike.
std::int64_t dim_of(const Arguments& arguments, const NamedConvention& a, const NamedConvention& b) {
  if (const auto dim = arguments.find("--dim")) {
    return parse_integer(arguments.operation, "--dim", *dim, 1, std::int64_t{1} << 30);
  }
  if (a.dim && b.dim && *a.dim != *b.dim) {
    refuse(arguments.operation, "--dim must be given where two widths are stated",
           fmt::format("{} and {}", *a.dim, *b.dim));
  }
  return a.dim ? *a.dim : b.dim.value_or(0);
}

// What a file was made for counts where the call says nothing.
Context context_of(const Arguments& arguments, const NamedConvention& a, const NamedConvention& b) {
  Context context = read_context(arguments);
  if (context.length == 0 && a.context.length != b.context.length && a.context.length * b.context.length != 0) {
    refuse(arguments.operation, "--length must be given where two lengths are stated",
           fmt::format("{} and {}", a.context.length, b.context.length));
  }
  if (context.length == 0) context.length = std::max(a.context.length, b.context.length);
  if (!context.learned) context.learned = a.context.learned ? a.context.learned : b.context.learned;
  return context;
}

Said run_compare(const Arguments& arguments) {
  if (arguments.operands.size() != 2) {
    refuse(arguments.operation, "two conventions must be given", std::to_string(arguments.operands.size()));
  }
  const NamedConvention a = read_named_convention(arguments, arguments.operands[0]),
                        b = read_named_convention(arguments, arguments.operands[1]);
  CompareOptions options = {.context = context_of(arguments, a, b)};
  options.dim = dim_of(arguments, a, b);
  if (const auto width = arguments.find("--head-dim")) {
    options.head_width = parse_integer(arguments.operation, "--head-dim", *width, 1, std::int64_t{1} << 30);
  }
  // How others number their places is not known.
  if (find_named(arguments.operands[0]) != nullptr && find_named(arguments.operands[1]) != nullptr) {
    options.places_of_a = a.places.value_or(whole_places), options.places_of_b = b.places.value_or(whole_places);
  }
  std::optional<ParsedPositions> positions;
  if (const auto text = arguments.find("--positions")) {
    positions = parse_positions(arguments.operation, "--positions", *text);
    options.positions.push_back(positions->positions);
  }
  const Comparison comparison = compare(a.convention, b.convention, options);
  Said said = {to_string(comparison), a.notes};
  said.notes.insert(said.notes.end(), b.notes.begin(), b.notes.end());
  if (arguments.has("--json")) {
    said.text = one_line(
        report(arguments.operation, {{"a", arguments.operands[0]}, {"b", arguments.operands[1]}}, to_json(comparison)));
  }
  return said;
}

constexpr Option compare_options[] = {
    {"--dim", "D", "columns of a row (512), of a head (128); heads of a bias (8)"},
    {"--head-dim", "D", "columns of a head, of biases that depend on them (64)"},
    {"--positions", "A:B[:S]|LIST|FILE.npy", "along every axis (0:512, or a cube of at most 512 cells)"},
    length_option,
    centre_option,
    learned_option};

}  // namespace

constinit const Verb compare_verb = {
    "compare",
    "in what two conventions differ, from where on, and what it means for a score",
    "A B",
    "are each a preset, a spec.json, config.json[:ROLE], or a tensor's file, which is identified first.",
    "posenc compare whisper mae-1d --dim 512",
    Operands::many,
    compare_options,
    run_compare,
};

}  // namespace posenc::tool
