// SPDX-License-Identifier: Apache-2.0
// posenc identify: which convention a file's tensors hold, or which rotation turned one file into another.
#include <fmt/format.h>
#include <posenc/referee.h>
#include <posenc/tensor_files.h>

#include <algorithm>

#include "apps/posenc/cli/cli.h"
#include "apps/posenc/cli/configuration.h"
#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/positions.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/cli/threads.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

// ---- tensors -------------------------------------------------------------------------------------

struct NamedTensor {
  std::string file, tensor;
};

// FILE or FILE:TENSOR; a colon belongs to the file where there is one of the whole name.
NamedTensor parse_tensor(const std::string& words) {
  const auto [file, role] = parse_role(words);
  return {file, role};
}

io::Array read(const std::string& words) {
  const auto [file, tensor] = parse_tensor(words);
  const io::TensorFiles files(file);
  return files.read(tensor.empty() ? files.only().name : tensor);
}

// What a model calls its positions.
bool named_after_positions(const io::TensorEntry& entry) {
  static constexpr std::string_view words[] = {"pos", "rope",  "rotary", "inv_freq", "freqs",     "sin",    "cos",
                                               "pe",  "alibi", "slopes", "relative", "timescale", "periods"};
  return std::ranges::any_of(words, [&](std::string_view word) { return entry.name.find(word) != entry.name.npos; });
}

// Those that are asked for: one by its name, all of a few, of many those that are named after positions.
std::vector<io::TensorEntry> chosen(const io::TensorFiles& files, const std::string& tensor) {
  if (!tensor.empty()) return {files.tensor(tensor)};
  constexpr std::size_t few = 16;
  std::vector<io::TensorEntry> all = files.tensors();
  if (all.size() > few) std::erase_if(all, [](const io::TensorEntry& entry) { return !named_after_positions(entry); });
  return all;
}

std::string shape_of(const io::TensorEntry& entry) {
  std::string text;
  for (const std::int64_t size : entry.shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return fmt::format("{} [{}]", entry.type, text);
}

std::string title(const io::TensorEntry& entry) {
  return fmt::format("{}{}", entry.name.empty() ? "" : entry.name + ": ", shape_of(entry));
}

Said identify_files(const Arguments& arguments, const IdentifyOptions& options) {
  const auto [file, tensor] = parse_tensor(arguments.operands[0]);
  const io::TensorFiles files(file);
  const std::vector<io::TensorEntry> entries = chosen(files, tensor);
  const bool json = arguments.has("--json");
  Said said;
  Json all = Json::array();
  for (const io::TensorEntry& entry : entries) {
    if (entry.dtype == DType{} || entry.shape.empty()) {
      const std::string reason = fmt::format("{}: elements are not read", title(entry));
      said.notes.push_back(reason);
      continue;
    }
    const Identification found = identify(files.read(entry.name).view(), options);
    if (json) {
      all.push_back({{"tensor", entry.name}, {"type", entry.type}, {"shape", entry.shape}});
      all.back().update(Json::parse(to_json(found)));
    } else {
      said.text += fmt::format("{}{}\n{}", said.text.empty() ? "" : "\n", title(entry), to_string(found));
    }
  }
  if (entries.size() < files.tensors().size() && tensor.empty()) {
    said.notes.push_back(fmt::format("{} of {} tensors, those named after positions; FILE:TENSOR names any other one",
                                     entries.size(), files.tensors().size()));
  }
  std::string configuration;
  if (!files.config().empty() && tensor.empty()) {
    configuration = to_string(read_configuration(files.config(), {}));
    if (!json) said.text += fmt::format("{}{}", said.text.empty() ? "" : "\n", configuration);
  }
  if (json) {
    said.text = one_line({{"operation", "identify"},
                          {"file", file},
                          {"tensors", all},
                          {"config", configuration.empty() ? Json(nullptr) : Json(configuration)}});
  }
  return said;
}

Said identify_turned(const Arguments& arguments, const Positions& positions, const IdentifyOptions& options) {
  const io::Array before = read(arguments.get("--before")), after = read(arguments.get("--after"));
  const Identification found = identify_rotation(before.view(), after.view(), positions, options);
  if (!arguments.has("--json")) return {to_string(found)};
  Json json = {{"operation", "identify"}};
  json.update(Json::parse(to_json(found)));
  return {one_line(json)};
}

Said run_identify(const Arguments& arguments) {
  const bool turned = arguments.has("--before") || arguments.has("--after");
  if (turned) {
    require_given(arguments, missing(arguments, {"--before", "--after", "--positions"}));
    if (!arguments.operands.empty()) {
      refuse(arguments.operation, "a file must come without --before and --after", arguments.operands[0]);
    }
  } else if (arguments.operands.size() != 1) {
    refuse(arguments.operation, "one file must be given, or --before and --after",
           std::to_string(arguments.operands.size()));
  }
  IdentifyOptions options;
  if (arguments.has("--full")) options.depth = Depth::full;
  std::optional<ParsedPositions> positions;
  if (const auto text = arguments.find("--positions")) {
    positions = parse_positions(arguments.operation, "--positions", *text);
  }
  if (turned) return identify_turned(arguments, positions->positions, options);
  if (positions) options.positions.push_back(positions->positions);
  return identify_files(arguments, options);
}

constexpr Option identify_options[] = {
    {"--positions", "A:B[:S]|LIST|FILE.npy", "of the rows, where they are known"},
    {"--before", "FILE[:TENSOR]", "queries or keys before a rotation; with --after and --positions"},
    {"--after", "FILE[:TENSOR]", "the same after it"},
    {"--full", "", "hold recipes against every entry, not against 2^20 of them", Takes::nothing}};

}  // namespace

constinit const Verb identify_verb = {
    "identify",
    "which convention a tensor holds, and how sure that is",
    "FILE[:TENSOR]",
    "is an .npy, .npz, .safetensors or .gguf file, or a model's folder.",
    "posenc identify pe.npy",
    Operands::many,
    identify_options,
    run_identify,
};

}  // namespace posenc::tool
