// SPDX-License-Identifier: Apache-2.0
// posenc identify: which convention a file's tensors hold, or which rotation turned one file into another.
#include <posenc/io/identify_file.h>
#include <posenc/referee/referee.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/mapped.h"
#include "apps/posenc/cli/named_convention.h"
#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/terminal/progress.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

Said identify_files(const Arguments& arguments, IdentifyOptions options) {
  const auto [file, tensor] = parse_role(arguments.operands[0]);
  Threads threads(read_threads(arguments));
  options.executor = threads.executor();
  Progress progress(arguments.operation, "tensors");
  const auto watch = [&](std::int64_t done, std::int64_t all) { progress.at(done, share_of(done, all)); };
  const io::FileIdentification found = io::identify_file(file, {tensor, options, watch});
  Said said = {to_string(found), found.notes};
  if (arguments.has("--json")) said.text = one_line(report(arguments.operation, {}, to_json(found)));
  return said;
}

Said identify_standard_input(const Arguments& arguments, IdentifyOptions options) {
  const io::TensorMap tensor = map_named_tensor(arguments.operation, arguments.operands[0]);
  Threads threads(read_threads(arguments));
  options.executor = threads.executor();
  const Identification found = identify(tensor.view(), options);
  if (!arguments.has("--json")) return {to_string(found)};
  return {one_line(report(arguments.operation, {}, to_json(found)))};
}

Said identify_turned(const Arguments& arguments, const Positions& positions, const IdentifyOptions& options) {
  const io::TensorMap before = map_named_tensor(arguments.operation, arguments.get("--before")),
                      after = map_named_tensor(arguments.operation, arguments.get("--after"));
  const Identification found = identify_rotation(before.view(), after.view(), positions, options);
  before.require_unchanged();
  after.require_unchanged();
  if (!arguments.has("--json")) return {to_string(found)};
  return {one_line(report(arguments.operation, {}, to_json(found)))};
}

Said run_identify(const Arguments& arguments) {
  const bool turned = arguments.has("--before") || arguments.has("--after");
  if (turned) {
    require_given(arguments, missing(arguments, {"--before", "--after", "--positions"}));
    if (!arguments.operands.empty()) {
      refuse(arguments.operation, "a file must come without --before and --after", arguments.operands[0]);
    }
  } else if (arguments.operands.size() != 1) {
    const bool checks = arguments.operands.size() == 2 && find_named(arguments.operands[1]) != nullptr;
    refuse(arguments.operation,
           checks ? "one file must be given (posenc check says whether it is what a preset says)"
                  : "one file must be given, or --before and --after",
           checks ? quote(arguments.operands[1]) : std::to_string(arguments.operands.size()));
  }
  IdentifyOptions options;
  if (arguments.has("--full")) options.depth = SearchDepth::full;
  std::optional<ParsedPositions> positions;
  if (const auto text = arguments.find("--positions")) {
    positions = parse_positions(arguments.operation, "--positions", *text);
  }
  if (turned) return identify_turned(arguments, positions->positions, options);
  if (positions) options.positions.push_back(positions->positions);
  if (is_standard_input(arguments.operands[0])) return identify_standard_input(arguments, options);
  return identify_files(arguments, options);
}

constexpr Option identify_options[] = {
    {"--positions", "A:B[:S]|LIST|FILE.npy", "of the rows, where they are known"},
    {"--before", "FILE[:TENSOR]", "queries or keys before a rotation; with --after and --positions"},
    {"--after", "FILE[:TENSOR]", "the same after it"},
    {"--full", "", "hold recipes against every entry, not against 2^20 of them", Takes::nothing},
    threads_option};

}  // namespace

constinit const Verb identify_verb = {
    "identify",
    "which convention a tensor holds, and how sure that is",
    "FILE[:TENSOR]",
    "is an .npy, .npz, .safetensors or .gguf file, a model's folder, or - for the bytes of an .npy or .safetensors.",
    "posenc identify pe.npy",
    Operands::many,
    identify_options,
    run_identify,
};

}  // namespace posenc::tool
