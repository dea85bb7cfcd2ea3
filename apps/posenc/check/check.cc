// SPDX-License-Identifier: Apache-2.0
// posenc check: whether a file's tensor is what a convention says; exit 0 or 1, with a diagnosis.
#include <posenc/referee/referee.h>

#include <cmath>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/mapped.h"
#include "apps/posenc/cli/named_convention.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/request.h"
#include "apps/posenc/cli/threads.h"

namespace posenc::tool {
namespace {

constexpr int is_wrong = 1;

// Completes the second operand by the names of presets.
std::vector<std::string> word_choices(const Arguments& arguments) {
  return arguments.operands.empty() ? std::vector<std::string>() : preset_choices(arguments);
}

// first, first + step, ..: as integers where all are.
Positions positions_at(const AxisPlaces& at, std::int64_t count) {
  const double step = at.step.value_or(1);
  const bool whole = at.first == std::rint(at.first) && step == std::rint(step);
  if (!whole) return Positions::range(at.first, count, step);
  return Positions::range(static_cast<std::int64_t>(at.first), count, static_cast<std::int64_t>(step));
}

Said run_check(const Arguments& arguments) {
  std::vector<std::string> lacked = missing(arguments, {"--against"});
  if (arguments.operands.empty()) lacked.insert(lacked.begin(), "a file");
  require_given(arguments, lacked);
  const NamedConvention against = read_named_convention(arguments, arguments.get("--against"));
  DiagnoseOptions options = {.context = read_context(arguments)};
  if (const auto dim = arguments.find("--dim")) {
    options.dim = parse_integer(arguments.operation, "--dim", *dim, 1, std::int64_t{1} << 30);
  } else if (against.dim) {
    options.dim = *against.dim;
  }
  options.places = against.places;
  const auto parsed = [&](std::string_view option) -> std::optional<ParsedPositions> {
    const auto text = arguments.find(option);
    return text ? std::optional(parse_positions(arguments.operation, option, *text)) : std::nullopt;
  };
  const std::optional<ParsedPositions> positions = parsed("--positions"), queries = parsed("--queries"),
                                       keys = parsed("--keys");
  if (positions) options.identify.positions = {positions->positions};  // one list serves every axis
  if (queries) options.queries = queries->positions;
  if (keys) options.keys = keys->positions;
  if (options.context.length == 0) options.context.length = against.context.length;
  if (!options.context.learned) options.context.learned = against.context.learned;
  const io::TensorMap tensor = map_named_tensor(arguments.operation, arguments.operands[0]);
  if (!positions && against.rows && tensor.view().rank > 0) {
    const std::int64_t rows = tensor.view().size(against.rows->axis_of(tensor.view()));
    options.identify.positions = {positions_at(against.rows->at, rows)};
  }
  Threads threads(read_threads(arguments));
  io::ReadingExecutor reading(threads.executor(), tensor);
  options.identify.executor = reading.executor();
  const Diagnosis diagnosis = diagnose(tensor.view(), against.convention, options);
  tensor.require_unchanged();
  Said said = {to_string(diagnosis), {}, diagnosis.right ? 0 : is_wrong};
  said.notes = against.notes;
  if (arguments.has("--json")) {
    said.text =
        one_line(report(arguments.operation, {{"file", arguments.operands[0]}, {"against", arguments.get("--against")}},
                        to_json(diagnosis)));
  }
  return said;
}

constexpr Option check_options[] = {
    {"--against", "NAME|FILE", "a preset, a spec.json, config.json[:ROLE], or a tensor's file (needed)", Takes::one,
     preset_choices},
    {"--dim", "D", "the width that the convention is asked for (that of the tensor); columns of a head of a bias"},
    {"--positions", "A:B[:S]|LIST|FILE.npy", "of the rows, where they are not 0, 1, 2, .."},
    queries_option,
    keys_option,
    length_option,
    centre_option,
    learned_option,
    threads_option};

}  // namespace

constinit const Verb check_verb = {
    "check",
    "whether a tensor is what a convention says, and if not, why",
    "FILE[:TENSOR] NAME|FILE",
    "are the tensor, of an .npy, .npz, .safetensors or .gguf file, a model's folder, or -, and what it is checked "
    "against, in the place of --against. Exit 0: right, 1: wrong.",
    "posenc check pe.npy transformer",
    Operands::file_and_other,
    check_options,
    run_check,
    word_choices,
};

}  // namespace posenc::tool
