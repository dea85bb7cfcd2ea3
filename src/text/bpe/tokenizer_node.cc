// SPDX-License-Identifier: Apache-2.0
// What a value must be, said with its JSON pointer.
#include "src/text/bpe/tokenizer_node.h"

#include "src/base/json_write.h"
#include "src/base/quote.h"
#include "src/spec/json/json_words.h"

#include <algorithm>

namespace posenc::io {
namespace {

std::string shown(const JsonTree& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return quote(value.text());
  return json_text(value);
}

std::string shown_pointer(const std::string& pointer) { return pointer.empty() ? "the document" : pointer; }

}  // namespace

void TokenizerNode::refuse(std::string_view wanted) const {
  source.refuse(shown_pointer(pointer) + " must be " + std::string(wanted), shown(value));
}

TokenizerNode TokenizerNode::operator[](const std::string& key) const {
  const JsonTree* found = value.find(key);
  if (found == nullptr) source.refuse(pointer + pointer_step(key) + " must be stated", "no such key");
  return {*found, pointer + pointer_step(key), source};
}

TokenizerNode TokenizerNode::operator[](std::size_t i) const {
  return {value.items()[i], pointer + pointer_step(std::to_string(i)), source};
}

void TokenizerNode::require_keys(std::initializer_list<std::string_view> keys) const {
  if (!value.is_object()) refuse("an object");
  for (const auto& [key, item] : value.members()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    std::string list;
    for (const std::string_view known : keys) list += (list.empty() ? "" : ", ") + std::string(known);
    source.refuse("the keys of " + shown_pointer(pointer) + " must be " + list, quote(key, Keep::tail));
  }
}

const std::string& TokenizerNode::text() const {
  if (!value.is_string()) refuse("a string");
  return value.text();
}

bool TokenizerNode::flag() const {
  if (!value.is_boolean()) refuse("true or false");
  return *value.as<bool>();
}

const std::string& TokenizerNode::type() const {
  if (!value.is_object()) refuse("an object with a type");
  return (*this)["type"].text();
}

}  // namespace posenc::io
