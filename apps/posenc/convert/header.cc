// SPDX-License-Identifier: Apache-2.0
// One entry of the metadata, written and taken back.
#include "apps/posenc/convert/header.h"

#include <fmt/format.h>
#include <posenc/io/safetensors.h>

#include <algorithm>

#include "apps/posenc/cli/json.h"
#include "apps/posenc/cli/problem.h"
#include "apps/posenc/terminal/screen.h"

namespace posenc::tool {
namespace {

constexpr std::string_view metadata_key = "__metadata__";

using HeaderObject = std::vector<JsonEntry>;

std::vector<std::string> steps_of(std::string_view operation, std::string_view path, const HeaderObject& metadata) {
  const std::string* found = find_text(metadata, steps_key);
  if (found == nullptr) return {};
  std::vector<std::string> steps;
  const auto read = read_list(*found);
  for (const JsonValue& each : read.value_or(std::vector<JsonValue>())) {
    if (const auto* step = std::get_if<std::string>(&each)) steps.push_back(*step);
  }
  if (!read || steps.empty() || steps.size() != read->size()) {
    refuse(operation, fmt::format("{} must be a list of conversions in the metadata of {}", steps_key, quote(path)),
           quote(*found));
  }
  return steps;
}

// The entry of a key with another value, at the place that it has, or else before `place`; without one it goes.
void put_entry(HeaderObject& object, std::string_view key, const std::optional<JsonValue>& value,
               HeaderObject::const_iterator place) {
  const auto found = std::ranges::find(object, key, &JsonEntry::key);
  if (found == object.end()) {
    if (value) object.insert(place, {std::string(key), *value});
  } else if (value) {
    found->value = *value;
  } else {
    object.erase(found);
  }
}

Json written_object(const HeaderObject& object) {
  std::vector<JsonMember> members;
  for (const auto& [key, value] : object) members.push_back({key, again(value)});
  return json_object(members);
}

}  // namespace

NewHeader with_step(std::string_view operation, std::string_view path, std::string_view header, const Step& step) {
  HeaderObject object = read_object(header).value(), metadata;
  if (const auto* old = std::get_if<Json>(find_value(object, metadata_key)))
    metadata = read_object(old->text()).value();
  std::vector<std::string> steps = steps_of(operation, path, metadata);
  const std::string last = steps.empty() ? "" : steps.back();
  if (last == step.done) {
    refuse(operation, fmt::format("{} must not have been converted so already", quote(path)), quote(last));
  }
  const bool inverse = last == step.undone;
  if (inverse) {
    steps.pop_back();
  } else {
    steps.push_back(step.done);
  }
  const auto unless_empty = [](const auto& list, const JsonValue& value) {
    return list.empty() ? std::nullopt : std::optional(value);
  };
  put_entry(metadata, steps_key, unless_empty(steps, Json(steps).text()), metadata.end());
  // The safetensors package writes the metadata first.
  put_entry(object, metadata_key, unless_empty(metadata, written_object(metadata)), object.begin());
  std::string text = written_object(object).text();
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > io::safetensors_header_limit) {
    refuse(operation, fmt::format("a header must have at most {} bytes", io::safetensors_header_limit),
           std::to_string(text.size()));
  }
  return {std::move(text), inverse};
}

}  // namespace posenc::tool
