// SPDX-License-Identifier: Apache-2.0
// What a value must be, said with its JSON pointer.
#include "src/spec/json/json_node.h"

#include <cmath>
#include <functional>

#include "src/base/quote.h"
#include "src/base/to_text.h"
#include "src/spec/json/json_words.h"

namespace posenc::io {
namespace {

std::string_view type_of(const JsonTree& value) {
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

void JsonNode::refuse_name(std::string_view list) const { refuse("one of " + std::string(list), quote(value.text())); }

JsonNode JsonNode::member(std::string_view key) const {
  const JsonTree* found = value.find(key);
  if (found == nullptr) source.refuse(pointer + pointer_step(key) + " must be stated", "no such key");
  return {*found, pointer + pointer_step(key), source};
}

void JsonNode::require_all(std::span<const std::string_view> keys) const {
  std::string missing;
  for (const std::string_view key : keys) {
    if (!has(key)) missing += (missing.empty() ? "" : ", ") + pointer + pointer_step(key);
  }
  if (!missing.empty()) source.refuse(missing + " must be stated", "no such key");
}

JsonNode JsonNode::item(std::size_t i) const {
  return {value.items()[i], pointer + pointer_step(std::to_string(i)), source};
}

void JsonNode::require_object() const {
  if (!value.is_object()) refuse_type("an object");
}

void JsonNode::require_array() const {
  if (!value.is_array()) refuse_type("an array");
}

void JsonNode::require_only(std::span<const std::string_view> keys) const {
  require_object();
  for (const auto& [key, item] : value.members()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    source.refuse("the keys of " + shown() + " must be " + listed(keys, std::identity()),
                  quote(pointer + pointer_step(key), Keep::tail));
  }
}

double JsonNode::number() const {
  if (!value.is_number()) refuse_type("a number");
  if (!std::isfinite(value.number())) refuse("a finite number", to_text(value.number()));
  return value.number();
}

const std::string& JsonNode::text() const {
  if (!value.is_string()) refuse_type("a string");
  return value.text();
}

std::int64_t JsonNode::integer() const {
  constexpr std::string_view wanted = "an integer of 64 bits with its sign";
  if (const auto* negative = value.as<std::int64_t>()) return *negative;
  const auto* whole = value.as<std::uint64_t>();
  if (whole == nullptr) refuse_type(wanted);
  if (*whole > std::uint64_t{INT64_MAX}) refuse(wanted, std::to_string(*whole));
  return static_cast<std::int64_t>(*whole);
}

}  // namespace posenc::io
