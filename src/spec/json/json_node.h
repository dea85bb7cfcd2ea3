// SPDX-License-Identifier: Apache-2.0
// A value in a JSON document together with its place, for messages.
#pragma once

#include "src/base/to_text.h"
#include "src/spec/json/json_text.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <span>

namespace posenc::io {

/// Functions that ask for something refuse the document when it is not there.
struct JsonNode {
  const JsonTree& value;
  std::string pointer;
  const JsonSource& source;

  std::string shown() const { return pointer.empty() ? "the document" : pointer; }
  [[noreturn]] void refuse(std::string_view wanted, std::string got) const;
  /// The value is of another type than `wanted`.
  [[noreturn]] void refuse_type(std::string_view wanted) const;

  JsonNode member(std::string_view key) const;
  bool has(std::string_view key) const { return value.contains(key); }
  JsonNode item(std::size_t i) const;
  void require_object() const;
  void require_array() const;
  /// It is an object with no other keys than those.
  void require_only(std::span<const std::string_view> keys) const;
  void require_only(std::initializer_list<std::string_view> keys) const {
    require_only(std::span(keys.begin(), keys.size()));
  }
  /// It has all of those keys.
  void require_all(std::span<const std::string_view> keys) const;
  double number() const;
  const std::string& text() const;
  /// An integer that int64 holds.
  std::int64_t integer() const;

  /// What the name that stands here stands for.
  template <class T>
  T one_of(std::initializer_list<std::pair<std::string_view, T>> all) const {
    const auto found = std::ranges::find(all, text(), &std::pair<std::string_view, T>::first);
    if (found != all.end()) return found->second;
    refuse_name(listed(all, [](const auto& each) { return each.first; }));
  }
  [[noreturn]] void refuse_name(std::string_view list) const;
};

}  // namespace posenc::io
