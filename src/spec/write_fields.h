// SPDX-License-Identifier: Apache-2.0
// Writing by field tables: JSON on one line, in version 1 or 2.
#pragma once

#include <charconv>
#include <cmath>

#include "src/base/json_write.h"
#include "src/conventions/fields.h"

namespace posenc::io {

/// Whole numbers without an exponent as far as every one of them is a double; -0 keeps its sign by the point.
inline std::string number_text(double value) {
  if (value == 0) return std::signbit(value) ? "-0.0" : "0";
  char text[32];
  const bool whole = std::abs(value) < 0x1p53 && std::trunc(value) == value;
  const auto result = whole ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed)
                            : std::to_chars(text, text + sizeof text, value);
  return {text, result.ptr};
}

template <int version, class T>
std::string written(const T& value);

/// "key": value, "key": value.
template <int version, class S>
std::string written_fields(const S& value) {
  std::string text;
  schema::for_fields<S, version>([&](const auto& field) {
    text += (text.empty() ? "" : ", ") + json_string(field.name) + ": " + written<version>(value.*field.member);
  });
  return text;
}

template <int version, class T>
std::string written(const T& value) {
  if constexpr (schema::Worded<T, version>) {
    return json_string(schema::text_of_word(value));
  } else if constexpr (std::is_same_v<T, double>) {
    return number_text(value);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return json_string(value);
  } else if constexpr (schema::is_list<T>) {
    return "[" + listed(value, [](const auto& item) { return written<version>(item); }) + "]";
  } else if constexpr (schema::is_kinds<T>) {
    return std::visit(
        []<class K>(const K& kind) -> std::string {
          constexpr bool is_object = version == 2 && schema::Stated<K, 2> && !schema::Bare<K, 2>;
          if constexpr (is_object) {
            return "{\"kind\": " + json_string(schema::of<K>.name) + ", " + written_fields<2>(kind) + "}";
          } else {
            return written<version>(kind);
          }
        },
        value);
  } else if constexpr (schema::Bare<T, version>) {
    return json_string(schema::of<T, version>.name);
  } else if constexpr (schema::Stated<T, version>) {
    return "{" + written_fields<version>(value) + "}";
  } else {
    return "null";  // what no check lets pass
  }
}

}  // namespace posenc::io
