// SPDX-License-Identifier: Apache-2.0
// nlohmann-json behind the tool's own values.
#include "apps/posenc/cli/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace posenc::tool {
namespace {

using JsonTree = nlohmann::ordered_json;

std::string json_line(const JsonTree& tree) { return tree.dump(-1, ' ', false, JsonTree::error_handler_t::replace); }

JsonValue json_value(const JsonTree& tree) {
  switch (tree.type()) {
    case JsonTree::value_t::boolean: return tree.get<bool>();
    case JsonTree::value_t::number_unsigned: return tree.get<std::uint64_t>();
    case JsonTree::value_t::number_integer: return tree.get<std::int64_t>();
    case JsonTree::value_t::number_float: return tree.get<double>();
    case JsonTree::value_t::string: return tree.get<std::string>();
    case JsonTree::value_t::array:
    case JsonTree::value_t::object: return Json::written(json_line(tree));
    default: return nullptr;
  }
}

}  // namespace

Json::Json(double value) : text_(JsonTree(value).dump()) {}

Json::Json(std::string_view value) : text_(json_line(JsonTree(value))) {}

Json json_object(std::span<const JsonMember> members) {
  std::string text = "{";
  for (const JsonMember& member : members) {
    text += fmt::format("{}{}:{}", text.size() == 1 ? "" : ",", Json(member.key).text(), member.value.text());
  }
  return Json::written(text + "}");
}

Json json_number(const std::string& words) {
  const JsonTree tree = JsonTree::parse(words, nullptr, false);
  return tree.is_number() ? Json::written(json_line(tree)) : Json(words);
}

Json json_document(std::string_view text) { return Json::written(json_line(JsonTree::parse(text))); }

Json merged(std::initializer_list<Json> objects) {
  JsonTree all = JsonTree::object();
  for (const Json& each : objects) all.update(JsonTree::parse(each.text()));
  return Json::written(json_line(all));
}

std::optional<std::vector<JsonEntry>> read_object(std::string_view text) {
  const JsonTree tree = JsonTree::parse(text, nullptr, false);
  if (!tree.is_object()) return std::nullopt;
  std::vector<JsonEntry> entries;
  for (const auto& [key, value] : tree.items()) entries.push_back({key, json_value(value)});
  return entries;
}

std::optional<std::vector<JsonValue>> read_list(std::string_view text) {
  const JsonTree tree = JsonTree::parse(text, nullptr, false);
  if (!tree.is_array()) return std::nullopt;
  std::vector<JsonValue> values;
  for (const JsonTree& value : tree) values.push_back(json_value(value));
  return values;
}

const JsonValue* find_value(std::span<const JsonEntry> object, std::string_view key) {
  const auto found = std::ranges::find(object, key, &JsonEntry::key);
  return found == object.end() ? nullptr : &found->value;
}

const std::string* find_text(std::span<const JsonEntry> object, std::string_view key) {
  return std::get_if<std::string>(find_value(object, key));
}

std::string json_library_version() {
  return fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH);
}

}  // namespace posenc::tool
