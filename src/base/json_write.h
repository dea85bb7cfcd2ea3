// SPDX-License-Identifier: Apache-2.0
// JSON as text: strings with what must be escaped, trees on one line with their keys in order.
#pragma once

#include <algorithm>

#include "src/base/json_tree.h"
#include "src/base/to_text.h"

namespace posenc {

/// "text" in quotes; it is UTF-8.
inline std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef", named = "\b\t\n\v\f\r", letters = "btnvfr";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte >= 0x20) {
      out += c;
    } else if (const std::size_t name = named.find(c); name != named.npos && c != '\v') {
      out += {'\\', letters[name]};
    } else {
      out += {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out + "\"";
}

/// The shortest text that reads back as the same double, with a point or an exponent.
inline std::string json_real(double value) {
  std::string text = to_text(value);
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

inline std::string json_text(const JsonTree& tree) {
  if (const auto* flag = tree.as<bool>()) return *flag ? "true" : "false";
  if (const auto* negative = tree.as<std::int64_t>()) return std::to_string(*negative);
  if (const auto* whole = tree.as<std::uint64_t>()) return std::to_string(*whole);
  if (const auto* real = tree.as<double>()) return json_real(*real);
  if (tree.is_string()) return json_string(tree.text());
  std::string out;
  if (tree.is_array()) {
    for (const JsonTree& item : tree.items()) out += (out.empty() ? "" : ",") + json_text(item);
    return "[" + out + "]";
  }
  if (!tree.is_object()) return "null";
  std::vector<const JsonTree::Member*> members;
  for (const auto& member : tree.members()) members.push_back(&member);
  std::ranges::sort(members, {}, [](const auto* member) -> const std::string& { return member->key; });
  for (const auto* member : members) {
    out += (out.empty() ? "" : ",") + json_string(member->key) + ":" + json_text(member->value);
  }
  return "{" + out + "}";
}

}  // namespace posenc
