// SPDX-License-Identifier: Apache-2.0
// posenc check: whether a file's tensor is what a convention says; exit 0 or 1, with a diagnosis.
#include <fmt/format.h>
#include <posenc/diagnose.h>
#include <posenc/file.h>
#include <posenc/spec.h>
#include <posenc/tensor_files.h>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr int is_wrong = 1;

io::Array read(const std::string& words) {
  const auto [file, tensor] = parse_role(words);
  const io::TensorFiles files(file);
  return files.read(tensor.empty() ? files.only().name : tensor);
}

// A convention as --against names it, and its width where that is stated.
struct Against {
  Convention convention;
  std::optional<std::int64_t> dim;
};

Against read_json(const Arguments& arguments, const std::string& words) {
  const std::string file = parse_role(words).file;
  const Json tree = Json::parse(io::read_file(file, io::json_byte_limit), nullptr, false);
  if (tree.is_object() && tree.contains("posenc_convention")) {
    return {io::convention_from_json(io::read_file(file, io::json_byte_limit)), std::nullopt};
  }
  const PositionRole role = read_role(arguments.operation, words);
  return {*role.convention, role.head ? role.head : role.width};
}

Against read_against(const Arguments& arguments) {
  const std::string words = arguments.get("--against");
  if (const Preset* row = find_preset(words)) return {row->convention, std::nullopt};
  const std::string file = parse_role(words).file;
  if (file.ends_with(".json")) return read_json(arguments, words);
  if (file.find_first_of("./") == file.npos) require(check_preset(words));
  const io::Array array = read(words);
  const Identification found = identify(array.view());
  if (found.candidates.empty()) {
    refuse(arguments.operation, "the file of --against must hold a convention that is known", quote(words));
  }
  return {found.candidates.front().convention, found.candidates.front().width};
}

Said run_check(const Arguments& arguments) {
  require_given(arguments, missing(arguments, {"--against"}));
  if (arguments.operands.size() != 1) {
    refuse(arguments.operation, "one file must be given", std::to_string(arguments.operands.size()));
  }
  const Against against = read_against(arguments);
  DiagnoseOptions options = {.context = read_context(arguments)};
  if (const auto dim = arguments.find("--dim")) {
    options.dim = parse_integer(arguments.operation, "--dim", *dim, 1, std::int64_t{1} << 30);
  } else if (against.dim) {
    options.dim = *against.dim;
  }
  std::optional<ParsedPositions> positions;
  if (const auto text = arguments.find("--positions")) {
    positions = parse_positions(arguments.operation, "--positions", *text);
    options.identify.positions.push_back(positions->positions);
  }
  const io::Array array = read(arguments.operands[0]);
  const Diagnosis diagnosis = diagnose(array.view(), against.convention, options);
  Said said = {to_string(diagnosis), {}, diagnosis.right ? 0 : is_wrong};
  if (arguments.has("--json")) {
    said.text = one_line({{"operation", "check"},
                          {"file", arguments.operands[0]},
                          {"against", arguments.get("--against")},
                          {"right", diagnosis.right},
                          {"findings", diagnosis.findings}});
  }
  return said;
}

constexpr Option check_options[] = {
    {"--against", "NAME|FILE", "a preset, a spec.json, config.json[:ROLE], or a tensor's file (needed)"},
    {"--dim", "D", "the width that the convention is asked for (that of the tensor)"},
    {"--positions", "A:B[:S]|LIST|FILE.npy", "of the rows, where they are not 0, 1, 2, .."},
    length_option,
    centre_option,
    learned_option};

}  // namespace

constinit const Verb check_verb = {
    "check",
    "whether a tensor is what a convention says, and if not, why",
    "FILE[:TENSOR]",
    "is an .npy, .npz, .safetensors or .gguf file, or a model's folder. Exit 0: right, 1: wrong.",
    "posenc check pe.npy --against transformer",
    Operands::many,
    check_options,
    run_check,
};

}  // namespace posenc::tool
