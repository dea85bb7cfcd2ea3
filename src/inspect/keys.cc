// SPDX-License-Identifier: Apache-2.0
// Keys of a configuration: several spellings of one, and values that must be in range.
#include "src/inspect/keys.h"

#include <functional>

#include "src/base/quote.h"
#include "src/spec/json/json_words.h"
#include "src/spec/write_fields.h"

namespace posenc::config {

bool same(const JsonTree& a, const JsonTree& b) {
  if (a.is_number() && b.is_number()) return a.number() == b.number();
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.items(), b.items(), same);
  if (!a.is_object() || !b.is_object()) return json_text(a) == json_text(b);
  return a.size() == b.size() && std::ranges::all_of(a.members(), [&](const auto& member) {
           const JsonTree* other = b.find(member.key);
           return other != nullptr && same(member.value, *other);
         });
}

std::string Keys::pointer(std::string_view name) const { return node_.pointer + io::pointer_step(name); }

std::optional<JsonNode> Keys::find_or_null(std::string_view name) {
  if (!node_.has(name)) return std::nullopt;
  read_.emplace(name);
  return node_.member(name);
}

std::optional<JsonNode> Keys::find(Names names) {
  std::optional<JsonNode> found;
  for (const std::string_view name : names) {
    const auto node = find_or_null(name);
    if (!node || node->value.is_null()) continue;
    if (!found) {
      found.emplace(*node);
    } else if (!same(found->value, node->value)) {
      node->refuse("as " + found->pointer + " says", "another value");
    }
  }
  return found;
}

std::optional<JsonNode> Keys::first(Names names) {
  for (const std::string_view name : names) {
    if (auto found = find(name)) return found;
  }
  return std::nullopt;
}

JsonNode Keys::need(std::string_view name) {
  read_.emplace(name);
  return node_.member(name);
}

JsonNode Keys::need(Names names) {
  if (auto found = find(names)) return *found;
  for (const std::string_view name : names) {
    if (node_.has(name)) return node_.member(name);  // null, which its reader refuses
  }
  if (names.size() == 1) return node_.member(names.front());
  node_.source.refuse(
      "one of " + listed(names, [&](std::string_view name) { return pointer(name); }) + " must be stated",
      "no such key");
}

void Keys::pass(Names names) {
  for (const std::string_view name : names) (void)find_or_null(name);
}

// ---- values ------------------------------------------------------------------------------------------

namespace {

std::string shown(const JsonNode& node) { return io::number_text(node.number()); }

}  // namespace

std::int64_t count_of(const JsonNode& node, std::int64_t most) {
  const std::int64_t count = node.integer();
  if (count >= 1 && count <= most) return count;
  node.refuse("from 1 to " + std::to_string(most), std::to_string(count));
}

double positive_of(const JsonNode& node) {
  if (node.number() > 0) return node.number();
  node.refuse("above 0", shown(node));
}

double factor_of(const JsonNode& node) {
  if (node.number() >= 1) return node.number();
  node.refuse("at least 1", shown(node));
}

double share_of(const JsonNode& node) {
  if (node.number() > 0 && node.number() <= 1) return node.number();
  node.refuse("above 0 and at most 1", shown(node));
}

void check_name(const JsonNode& node, std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  if (!name.empty() && name.size() <= 64 && name.find_first_not_of(letters) == name.npos) return;
  node.source.refuse("a name in " + node.shown() + " must be 1 to 64 letters, digits, _, - and dots", quote(name));
}

bool flag_of(const JsonNode& node) {
  const auto* flag = node.value.as<bool>();
  if (flag == nullptr) node.refuse_type("true or false");
  return *flag;
}

}  // namespace posenc::config
