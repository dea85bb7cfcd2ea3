// SPDX-License-Identifier: Apache-2.0
// Reading by field tables: the value of a type that a part of a JSON document states, in version 1 or 2.
#pragma once

#include <functional>

#include "src/base/to_text.h"
#include "src/conventions/fields.h"
#include "src/spec/json/json_node.h"

namespace posenc::io {

template <int version, class T>
T read(const JsonNode& node);

template <int version, class E>
E read_word(const JsonNode& node) {
  if (const auto named = schema::value_of<E>(node.text(), version)) return *named;
  node.refuse_name(listed(schema::words_of<E>(version), std::identity()));
}

template <int version, class S>
std::vector<std::string_view> keys_of(std::initializer_list<std::string_view> before) {
  std::vector<std::string_view> keys = before;
  schema::for_fields<S, version>([&](const auto& field) { keys.push_back(field.name); });
  return keys;
}

/// An object with every field of S; `known` are the keys that it may have.
template <int version, class S>
S read_struct(const JsonNode& node, std::span<const std::string_view> known) {
  node.require_only(known);
  node.require_all(keys_of<version, S>({}));
  S value = schema::unread<S, version>();
  schema::for_fields<S, version>([&]<class T>(const schema::Field<S, T>& field) {
    value.*field.member = read<version, T>(node.member(field.name));
  });
  return value;
}

/// Version 1 tells kinds by their keys: a later kind by its first one, else it is the first kind.
template <class Kinds>
Kinds read_kind_by_keys(const JsonNode& node) {
  node.require_object();
  std::optional<Kinds> found;
  std::vector<std::string_view> known;
  schema::for_kinds<Kinds, 1>([&]<class K>(schema::Tag<K>) {
    const std::vector<std::string_view> own = keys_of<1, K>({});
    if (known.empty()) {
      known = own;
    } else if (!found && node.has(own.front())) {
      found = read_struct<1, K>(node, own);
    } else {
      known.push_back(own.front());
    }
  });
  if (found) return *found;
  return read_struct<1, std::variant_alternative_t<0, Kinds>>(node, known);
}

/// What the kinds may look like, for messages: "a number, one of none, linear".
template <class Kinds>
std::string kinds_text() {
  std::vector<std::string> forms;
  std::vector<std::string_view> words;
  schema::for_kinds<Kinds, 2>([&]<class K>(schema::Tag<K>) {
    if constexpr (std::is_enum_v<K>) {
      for (const std::string_view word : schema::words_of<K>(2)) words.emplace_back(word);
    } else if constexpr (schema::Bare<K, 2>) {
      words.emplace_back(schema::of<K>.name);
    } else if constexpr (schema::Stated<K, 2>) {
      forms.push_back("an object of kind " + std::string(schema::of<K>.name));
    } else {
      forms.emplace_back(schema::is_list<K> ? "an array" : "a number");
    }
  });
  if (!words.empty()) forms.push_back("one of " + listed(words, std::identity()));
  return listed(forms, std::identity());
}

/// Version 2: what has no fields is a word, numbers and lists are themselves, the others are objects with their "kind".
template <class Kinds>
Kinds read_kind(const JsonNode& node) {
  std::optional<Kinds> found;
  const std::string kind = node.value.is_object() ? node.member("kind").text() : "";
  schema::for_kinds<Kinds, 2>([&]<class K>(schema::Tag<K>) {
    if constexpr (schema::is_list<K>) {
      if (node.value.is_array()) found = read<2, K>(node);
    } else if constexpr (schema::is_leaf<K>) {
      if (node.value.is_number()) found = read<2, K>(node);
    } else if constexpr (schema::Bare<K, 2>) {
      if (node.value.is_string() && node.value.text() == schema::of<K>.name) found = K{};
    } else if constexpr (std::is_enum_v<K>) {
      const auto named = node.value.is_string() ? schema::value_of<K>(node.value.text(), 2) : std::nullopt;
      if (named) found = *named;
    } else if (kind == schema::of<K>.name) {
      found = read_struct<2, K>(node, keys_of<2, K>({"kind"}));
    }
  });
  if (found) return *std::move(found);
  if (node.value.is_object()) node.member("kind").refuse(kinds_text<Kinds>(), "'" + kind + "'");
  if (node.value.is_string()) node.refuse_name(kinds_text<Kinds>());
  node.refuse_type(kinds_text<Kinds>());
}

template <int version, class T>
T read(const JsonNode& node) {
  if constexpr (schema::Worded<T, version>) {
    return read_word<version, T>(node);
  } else if constexpr (std::is_same_v<T, double>) {
    return node.number();
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return node.integer();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return node.text();
  } else if constexpr (schema::is_list<T>) {
    node.require_array();
    T list;
    for (std::size_t i = 0; i < node.value.size(); ++i) {
      list.push_back(read<version, typename T::value_type>(node.item(i)));
    }
    return list;
  } else if constexpr (schema::is_kinds<T>) {
    if constexpr (version == 1) return read_kind_by_keys<T>(node);
    return read_kind<T>(node);
  } else {
    return read_struct<version, T>(node, keys_of<version, T>({}));
  }
}

}  // namespace posenc::io
