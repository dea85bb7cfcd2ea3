// SPDX-License-Identifier: Apache-2.0
// The options of encode, from text to values.
#include "apps/posenc/encode/encode_request.h"

#include <fmt/format.h>

#include "apps/posenc/cli/about.h"
#include "apps/posenc/cli/numbers.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/source.h"
#include "apps/posenc/cli/words.h"
#include "apps/posenc/encode/weights.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

void read_dropout(const Arguments& arguments, Stage& stage) {
  const std::optional<std::string> probability = arguments.find("--dropout"), seed = arguments.find("--seed");
  if (seed) stage.seed = parse_unsigned(encode_verb.name, "--seed", *seed);
  if (seed && !probability && !arguments.has("--init")) {
    refuse(encode_verb.name, "--seed must come with --dropout or --init, which alone depend on it", quote(*seed));
  }
  if (!probability) return;
  stage.dropout = parse_real(encode_verb.name, "--dropout", *probability);
  require(check_dropout_probability(encode_verb.name, stage.dropout));
  if (!seed) {
    refuse(encode_verb.name, "--dropout must come with --seed, so that the result can be repeated", "no --seed");
  }
}

// A convention that is no preset's has no scale of its own, but for a role's of a configuration.
Stage chosen_stage(const Arguments& arguments, const Choice& choice) {
  if (choice.preset == nullptr && !choice.scale && !arguments.has("--scale")) {
    refuse(encode_verb.name, "--scale must be given with --table, --spec and roles of --config that state none",
           "no --scale");
  }
  Stage stage = choice.preset == nullptr ? Stage{choice, choice.scale.value_or(Scale::none), Axes::batch_first}
                                         : stage_of(*choice.preset);
  stage.choice = choice;
  return stage;
}

// The signal is a table's rows, which no convention, recipe or ladder has a say in.
Choice choice_of_table(const Arguments& arguments, const std::string& table) {
  for (const std::string_view option : {"--preset", "--spec", "--config", "--set", "--recipe", "--ladder"}) {
    if (arguments.has(option)) {
      refuse(encode_verb.name, fmt::format("one of --table and {} must be given", option),
             quote(table) + " and " + quote(arguments.get(option)));
    }
  }
  return {fmt::format("table {}", table), nullptr, Convention(), exact()};
}

Stage read_stage(const Arguments& arguments) {
  const std::optional<std::string> table = arguments.find("--table");
  const Choice choice = table ? choice_of_table(arguments, *table) : read_choice(arguments, default_preset);
  if (!table) require_use(encode_verb.name, choice, ConventionUse::tokens);
  Stage stage = chosen_stage(arguments, choice);
  if (const auto scale = arguments.find("--scale")) stage.scale = parse_scale(encode_verb.name, *scale);
  if (const auto axes = arguments.find("--axes")) stage.axes = parse_axes(encode_verb.name, *axes);
  if (const auto start = arguments.find("--start")) {
    stage.start = parse_integer(encode_verb.name, "--start", *start, INT64_MIN);
  }
  read_dropout(arguments, stage);
  return stage;
}

void read_positions(const Arguments& arguments, EncodeRequest& request) {
  const std::optional<std::string> words = arguments.find("--positions");
  if (!words) return;
  if (arguments.has("--start")) refuse(encode_verb.name, "one of --start and --positions must be given", "both");
  request.positions = parse_positions(encode_verb.name, "--positions", *words);
}

void check_files(const Arguments& arguments, const EncodeRequest& request) {
  std::vector<NamedFile> inputs = named_files(arguments, {"--vocab", "--ladder"});
  for (const NamedFile& file : convention_files(arguments)) inputs.push_back(file);
  for (const std::string_view option : {"--weights", "--table"}) {
    if (const auto file = arguments.find(option)) inputs.push_back({std::string(option), source_path(*file)});
  }
  if (!request.tokens.file.empty()) inputs.push_back({"--tokens", request.tokens.file});
  for (const Input& input : request.texts.inputs) {
    if (input.kind == Input::Kind::file) inputs.push_back({"a text", input.name});
    if (input.kind == Input::Kind::standard_input) inputs.push_back({"standard input", "/dev/stdin"});
  }
  check_apart(encode_verb.name, named_files(arguments, {"--out", "--plot", "--save-vocab"}), inputs);
}

}  // namespace

EncodeRequest read_encode_request(const Arguments& arguments) {
  EncodeRequest request;
  request.stage = read_stage(arguments);
  request.texts = read_texts(arguments);
  request.tokens = read_tokens_request(arguments);
  request.targets = read_targets(arguments);
  request.about = arguments.has("--table") ? about(arguments) : about(arguments, request.stage.choice);
  check_files(arguments, request);
  request.threads = read_threads(arguments);
  request.show = arguments.has("--show");
  request.json = arguments.has("--json");
  if (request.show && request.json) refuse(encode_verb.name, "one of --show and --json must be given", "both");
  read_positions(arguments, request);
  return request;
}

PositionPart EncodeRequest::positions_of(std::int64_t first, std::int64_t count) const {
  if (positions) return {positions->positions, first, count};
  return {Positions::range(stage.start + first, count), 0, count};
}

std::string EncodeRequest::position_name(std::int64_t t) const {
  return positions ? name(positions->positions, t) : fmt::format("{}", stage.start + t);
}

EncodeOptions dropout_options(const Stage& stage) {
  if (stage.dropout == 0) return {};
  if (stage.start < 0 || stage.start > UINT32_MAX) {
    refuse(encode_verb.name, "--start with --dropout must be 0 to 4294967295, as masks count tokens from it",
           fmt::format("{}", stage.start));
  }
  return {.mode = StageMode::train, .first = static_cast<std::uint32_t>(stage.start)};
}

}  // namespace posenc::tool
