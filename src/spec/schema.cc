// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of version 2, from the field tables.
#include <posenc/spec/spec.h>

#include "src/base/environment.h"
#include "src/base/json_write.h"
#include "src/conventions/family_fields.h"

namespace posenc::io {
namespace {

template <class T>
std::string schema_of(const schema::RuleOf<T>& rule, std::string_view doc);

// "name": value, in front of which a comma stands where it is not the first.
void add(std::string& object, std::string_view name, std::string_view value) {
  object += (object.empty() ? "" : ", ") + json_string(name) + ": " + std::string(value);
}

std::string quoted_list(const std::vector<std::string_view>& items) { return "[" + listed(items, json_string) + "]"; }

template <class S>
std::string object_of(std::string properties, std::vector<std::string_view> required, std::string_view doc) {
  schema::for_fields<S, 2>([&]<class T>(const schema::Field<S, T>& field) {
    add(properties, field.name, schema_of<T>(field.rule, field.doc));
    required.push_back(field.name);
  });
  std::string object;
  add(object, "description", json_string(doc));
  add(object, "type", "\"object\"");
  add(object, "properties", "{" + properties + "}");
  add(object, "required", quoted_list(required));
  add(object, "additionalProperties", "false");
  return "{" + object + "}";
}

// One kind of a field that has several: as read_kind reads it.
template <class K, class Rule>
std::string kind_of(const Rule& rule) {
  if constexpr (schema::is_leaf<K> || schema::is_list<K>) {
    return schema_of<K>(rule, {});
  } else if constexpr (schema::Bare<K, 2>) {
    return "{\"description\": " + json_string(schema::of<K>.doc) + ", \"const\": " + json_string(schema::of<K>.name) +
           "}";
  } else if constexpr (std::is_enum_v<K>) {
    return schema_of<K>({}, {});
  } else {
    std::string kind;
    add(kind, "kind", "{\"const\": " + json_string(schema::of<K>.name) + "}");
    return object_of<K>(kind, {"kind"}, schema::of<K>.doc);
  }
}

template <class T>
std::string schema_of(const schema::RuleOf<T>& rule, std::string_view doc) {
  std::string text;
  if (!doc.empty()) add(text, "description", json_string(doc));
  if constexpr (std::is_enum_v<T>) {
    add(text, "enum", quoted_list(schema::words_of<T>(2)));
  } else if constexpr (schema::is_leaf<T>) {
    constexpr bool is_text = std::is_same_v<T, std::string>, is_real = std::is_same_v<T, double>;
    add(text, "type", is_text ? "\"string\"" : is_real ? "\"number\"" : "\"integer\"");
    if (!rule.json.empty()) text += ", " + std::string(rule.json);
  } else if constexpr (schema::is_list<T>) {
    add(text, "type", "\"array\"");
    add(text, "items", schema_of<typename T::value_type>(rule, {}));
  } else if constexpr (schema::is_kinds<T>) {
    std::string kinds;
    schema::for_kinds<T, 2>([&]<class K>(schema::Tag<K>) { kinds += (kinds.empty() ? "" : ", ") + kind_of<K>(rule); });
    add(text, "anyOf", "[" + kinds + "]");
  } else {
    return object_of<T>({}, {}, doc);
  }
  return "{" + text + "}";
}

template <class S>
std::string family_schema() {
  std::string head;
  add(head, "posenc_convention", "{\"const\": 2}");
  add(head, "family", "{\"const\": " + json_string(schema::of<S>.name) + "}");
  return object_of<S>(head, {"posenc_convention", "family"}, schema::of<S>.doc);
}

}  // namespace

std::string convention_schema() {
  const DefaultEnvironment environment;
  std::string text;
  add(text, "$schema", "\"https://json-schema.org/draft/2020-12/schema\"");
  add(text, "title", "\"A convention of posenc, version 2\"");
  std::string families;
  schema::for_kinds<Convention, 2>(
      [&]<class S>(schema::Tag<S>) { families += (families.empty() ? "" : ", ") + family_schema<S>(); });
  add(text, "oneOf", "[" + families + "]");
  return "{" + text + "}";
}

}  // namespace posenc::io
