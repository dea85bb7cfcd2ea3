// SPDX-License-Identifier: Apache-2.0
// Printing by field tables: every field with its value, numbers as the shortest text that reads back.
#pragma once

#include "src/base/to_text.h"
#include "src/conventions/fields.h"

namespace posenc::schema {

template <int version, class T>
std::string text_of(const T& value);

/// "base 10000, first 1".
template <int version, class S>
std::string fields_text(const S& value) {
  std::string text;
  for_fields<S, version>([&](const auto& field) {
    if (!text.empty()) text += ", ";
    if (!field.shown.empty()) text += std::string(field.shown) + " ";
    text += text_of<version>(value.*field.member);
  });
  return text;
}

template <int version, class T>
std::string text_of(const T& value) {
  if constexpr (Worded<T, version>) {
    return std::string(text_of_word(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, double>) {
    return to_text(value);
  } else if constexpr (is_leaf<T>) {
    return std::to_string(value);
  } else if constexpr (is_list<T>) {
    return "[" + listed(value, [](const auto& item) { return text_of<version>(item); }) + "]";
  } else if constexpr (is_kinds<T>) {
    return std::visit([](const auto& kind) { return text_of<version>(kind); }, value);
  } else if constexpr (Bare<T, version>) {
    return std::string(of<T, version>.name);
  } else if constexpr (Stated<T, version>) {
    if constexpr (version == 1) return fields_text<version>(value);
    return std::string(of<T, version>.name) + " {" + fields_text<version>(value) + "}";
  } else {
    return "not stated";
  }
}

}  // namespace posenc::schema
