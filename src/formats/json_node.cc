// SPDX-License-Identifier: Apache-2.0
// What a value must be, said with its JSON pointer.
#include "src/formats/json_node.h"

#include "src/formats/json_words.h"
#include "src/formats/quote.h"

namespace posenc::io {
namespace {

using nlohmann::json;

std::string_view type_of(const json& value) {
  if (value.is_boolean()) return "a boolean";
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  return value.is_null() ? "null" : "a number";
}

}  // namespace

void JsonNode::refuse(std::string_view wanted, std::string got) const {
  source.refuse(shown() + " must be " + std::string(wanted), std::move(got));
}

void JsonNode::refuse_type(std::string_view wanted) const { refuse(wanted, std::string(type_of(value))); }

void JsonNode::refuse_name(std::string_view list) const {
  refuse("one of " + std::string(list), quote(value.get_ref<const std::string&>()));
}

JsonNode JsonNode::member(const std::string& key) const {
  const auto found = value.find(key);
  if (found == value.end()) source.refuse(pointer + pointer_step(key) + " must be stated", "no such key");
  return {*found, pointer + pointer_step(key), source};
}

JsonNode JsonNode::item(std::size_t i) const { return {value[i], pointer + pointer_step(std::to_string(i)), source}; }

void JsonNode::require_object() const {
  if (!value.is_object()) refuse_type("an object");
}

void JsonNode::require_array() const {
  if (!value.is_array()) refuse_type("an array");
}

void JsonNode::require_only(std::initializer_list<std::string_view> keys) const {
  require_object();
  for (const auto& [key, item] : value.items()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    std::string list;
    for (const std::string_view known : keys) list += (list.empty() ? "" : ", ") + std::string(known);
    source.refuse("the keys of " + shown() + " must be " + list, quote(pointer + pointer_step(key), Keep::tail));
  }
}

double JsonNode::number() const {
  if (!value.is_number()) refuse_type("a number");
  return value.get<double>();
}

const std::string& JsonNode::text() const {
  if (!value.is_string()) refuse_type("a string");
  return value.get_ref<const std::string&>();
}

std::int64_t JsonNode::integer() const {
  constexpr std::string_view wanted = "an integer of 64 bits with its sign";
  if (!value.is_number_integer()) refuse_type(wanted);
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) refuse(wanted, value.dump());
  return value.get<std::int64_t>();
}

}  // namespace posenc::io
