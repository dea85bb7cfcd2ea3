// SPDX-License-Identifier: Apache-2.0
// One entry of the metadata, written and taken back.
#include "apps/posenc/convert/header.h"

#include <fmt/format.h>
#include <posenc/safetensors.h>

#include <algorithm>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view metadata_key = "__metadata__";

Json steps_of(std::string_view operation, std::string_view path, const Json& metadata) {
  const auto found = metadata.find(steps_key);
  if (found == metadata.end()) return Json::array();
  Json steps = Json::parse(found->get<std::string>(), nullptr, false);
  const bool ours = steps.is_array() && !steps.empty() &&
                    std::ranges::all_of(steps, [](const Json& step) { return step.is_string(); });
  if (!ours) {
    refuse(operation, fmt::format("{} must be a list of conversions in the metadata of {}", steps_key, quote(path)),
           quote(found->get<std::string>()));
  }
  return steps;
}

// The safetensors package writes the metadata first.
Json at_the_front(const Json& header, const Json& metadata) {
  Json made = {{metadata_key, metadata}};
  for (const auto& [name, value] : header.items()) made[name] = value;
  return made;
}

}  // namespace

NewHeader with_step(std::string_view operation, std::string_view path, std::string_view header, const Step& step) {
  Json json = Json::parse(header);
  Json metadata = json.contains(metadata_key) ? json[metadata_key] : Json::object();
  Json steps = steps_of(operation, path, metadata);
  const std::string last = steps.empty() ? "" : steps.back().get<std::string>();
  if (last == step.done) {
    refuse(operation, fmt::format("{} must not have been converted so already", quote(path)), quote(last));
  }
  const bool inverse = last == step.undone;
  if (inverse) {
    steps.erase(steps.size() - 1);
  } else {
    steps.push_back(step.done);
  }
  if (steps.empty()) {
    metadata.erase(steps_key);
  } else {
    metadata[steps_key] = steps.dump();
  }
  if (metadata.empty()) {
    json.erase(metadata_key);
  } else if (json.contains(metadata_key)) {
    json[metadata_key] = metadata;
  } else {
    json = at_the_front(json, metadata);
  }
  std::string text = json.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > io::safetensors_header_limit) {
    refuse(operation, fmt::format("a header must have at most {} bytes", io::safetensors_header_limit),
           std::to_string(text.size()));
  }
  return {std::move(text), inverse};
}

}  // namespace posenc::tool
