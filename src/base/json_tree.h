// SPDX-License-Identifier: Apache-2.0
// A JSON document as a plain tree; who reads and writes the text stands elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace posenc {

/// Of a tree that is not complete yet.
template <class Tree>
struct JsonMember {
  std::string key;
  Tree value;
};

struct JsonTree {
  using Member = JsonMember<JsonTree>;
  using List = std::vector<JsonTree>;
  using Object = std::vector<Member>;  // in the order of the document

  /// Integers below 0 are int64, others uint64; what has a fraction, an exponent or more digits is a double.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object> value = nullptr;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  bool is_null() const { return as<std::nullptr_t>() != nullptr; }
  bool is_boolean() const { return as<bool>() != nullptr; }
  bool is_string() const { return as<std::string>() != nullptr; }
  bool is_array() const { return as<List>() != nullptr; }
  bool is_object() const { return as<Object>() != nullptr; }
  bool is_integer() const { return as<std::int64_t>() != nullptr || as<std::uint64_t>() != nullptr; }
  bool is_number() const { return is_integer() || as<double>() != nullptr; }

  /// Of a number.
  double number() const {
    if (const auto* negative = as<std::int64_t>()) return static_cast<double>(*negative);
    if (const auto* whole = as<std::uint64_t>()) return static_cast<double>(*whole);
    return std::get<double>(value);
  }
  /// Of a string.
  const std::string& text() const { return std::get<std::string>(value); }
  /// The items of an array, the members of an object.
  const List& items() const { return std::get<List>(value); }
  const Object& members() const { return std::get<Object>(value); }
  std::size_t size() const;
  /// The value of a key; nullptr where there is none, or this is no object.
  const JsonTree* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
};

inline std::size_t JsonTree::size() const { return is_array() ? items().size() : is_object() ? members().size() : 0; }

inline const JsonTree* JsonTree::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const Member& member : members()) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

}  // namespace posenc
