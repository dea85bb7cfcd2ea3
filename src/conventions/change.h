// SPDX-License-Identifier: Apache-2.0
// Changing by field tables: a value is read as the type of the field that a path names.
#pragma once

#include <charconv>
#include <cmath>

#include "src/base/quote.h"
#include "src/conventions/check.h"
#include "src/conventions/family_fields.h"

namespace posenc::schema {

/// As an error shows it.
inline std::string shown(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value.value)) return to_text(*number);
  if (const auto* text = std::get_if<std::string>(&value.value)) return quote(*text);
  const auto& list = std::get<std::vector<double>>(value.value);
  return "[" + listed(list, [](double x) { return to_text(x); }) + "]";
}

inline std::optional<double> number_of(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value.value)) return *number;
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr || text->empty()) return std::nullopt;
  double number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, status] = std::from_chars(text->data(), end, number);
  return status == std::errc{} && stop == end && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// The items of a list that is written with commas between them, or given as numbers.
inline std::vector<FieldValue> items_of(const FieldValue& value) {
  std::vector<FieldValue> items;
  if (const auto* list = std::get_if<std::vector<double>>(&value.value)) {
    for (const double number : *list) items.emplace_back(number);
  } else if (const auto* text = std::get_if<std::string>(&value.value)) {
    for (std::string_view rest = *text; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      items.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  } else {
    items.push_back(value);
  }
  return items;
}

/// The words and names that a value of the type may be, "one of own, dealt, summed".
template <class T>
std::string choices() {
  std::string text;
  const auto add = [&](std::string_view word) { text += (text.empty() ? "" : ", ") + std::string(word); };
  if constexpr (is_kinds<T>) {
    for_kinds<T, 2>([&]<class K>(Tag<K>) {
      if constexpr (is_list<K>) {
        add("a list of numbers");
      } else if constexpr (is_leaf<K>) {
        add("a number");
      } else if constexpr (std::is_enum_v<K>) {
        for (const auto& each : Words<K>::all) add(each.word);
      } else {
        add(Schema<K>::name);
      }
    });
  } else {
    for (const auto& each : Words<T>::all) add(each.word);
  }
  return "one of " + text;
}

/// Reads the value as T; false where it is none.
template <class T>
bool read_value(T& target, const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value.value);
  if constexpr (std::is_enum_v<T> || std::is_same_v<T, Spacing>) {
    for (const auto& each : Words<T>::all) {
      if (text != nullptr && each.word == *text) return target = each.value, true;
    }
    return false;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return text != nullptr && (target = *text, true);
  } else if constexpr (std::is_same_v<T, double>) {
    const std::optional<double> number = number_of(value);
    return number && (target = *number, true);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    const std::optional<double> number = number_of(value);
    if (!number || std::abs(*number) > 0x1p53 || std::trunc(*number) != *number) return false;
    return target = static_cast<std::int64_t>(*number), true;
  } else if constexpr (is_list<T>) {
    T list;
    for (const FieldValue& item : items_of(value)) {
      if (!read_value(list.emplace_back(), item)) return false;
    }
    return target = std::move(list), true;
  } else if constexpr (is_kinds<T>) {
    bool found = false;
    for_kinds<T, 2>([&]<class K>(Tag<K>) {
      if (found) return;
      K kind{};
      if constexpr (Stated<K, 2>) {
        found = text != nullptr && *text == Schema<K>::name;
      } else {
        found = read_value(kind, value);
      }
      if (found) target = std::move(kind);
    });
    return found;
  } else {
    return false;
  }
}

/// What a value of the type must be, as an error says it.
template <class T>
std::string wanted() {
  if constexpr (is_list<T>) {
    return "a list, each item " + wanted<typename T::value_type>();
  } else if constexpr (std::is_same_v<T, double>) {
    return "a number";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return "an integer";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "a name";
  } else {
    return choices<T>();
  }
}

template <class S>
std::string field_names() {
  std::string text;
  for_fields<S, 2>([&](const auto& field) {
    text += (text.empty() ? "" : ", ") + std::string(field.name);
    if (!field.each.empty()) text += ", " + std::string(field.each);
  });
  return text;
}

/// A number or a name keeps its rule at once; a kind by its name waits for its fields.
template <class T>
std::optional<Problem> check_read(const T& value, const RuleOf<T>& rule, const Path& at) {
  if constexpr (is_leaf<T> || is_list<T>) return check<2>(value, rule, at);
  if constexpr (is_kinds<T>) {
    return std::visit(
        [&]<class K>(const K& kind) -> std::optional<Problem> {
          if constexpr (is_leaf<K> || is_list<K>) return check<2>(kind, rule, at);
          return std::nullopt;
        },
        value);
  }
  return std::nullopt;
}

/// Changes what `path` names below `target`. The problem names the whole path `at`.
template <class T>
std::optional<Problem> change(T& target, const RuleOf<T>& rule, std::string_view path, const FieldValue& value,
                              const Path& at);

template <class S>
std::optional<Problem> change_field(S& target, std::string_view path, const FieldValue& value, const Path& at) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view step = path.substr(0, dot), rest = path.substr(std::min(dot + 1, path.size()));
  std::optional<Problem> found =
      Problem{"convention",
              at.up == nullptr ? "the path must begin with one of " + field_names<S>()
                               : "the path must go on with one of " + field_names<S>() + " after " + at.text(),
              quote(step)};
  for_fields<S, 2>([&](const auto& field) {
    auto& member = target.*field.member;
    if (step == field.name) found = change(member, field.rule, rest, value, {&at, field.name});
    if constexpr (is_list<std::remove_reference_t<decltype(member)>>) {
      if (field.each.empty() || step != field.each) return;
      found = std::nullopt;
      for (auto& item : member) {
        if (!found) found = change(item, field.rule, rest, value, {&at, field.each});
      }
    }
  });
  return found;
}

template <class T>
std::optional<Problem> change_item(std::vector<T>& list, const RuleOf<T>& rule, std::string_view path,
                                   const FieldValue& value, const Path& at) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  std::size_t index = list.size() + 1;
  const auto [stop, status] = std::from_chars(path.data(), path.data() + dot, index);
  if (status != std::errc{} || stop != path.data() + dot || index > list.size()) {
    return broken(at, "followed by a number from 0 to " + std::to_string(list.size()), quote(path.substr(0, dot)));
  }
  if (index == list.size()) list.emplace_back();
  return change(list[index], rule, path.substr(std::min(dot + 1, path.size())), value, {&at, {}, index});
}

template <class T>
std::optional<Problem> change(T& target, const RuleOf<T>& rule, std::string_view path, const FieldValue& value,
                              const Path& at) {
  if (path.empty()) {
    if constexpr (Stated<T, 2> && !std::is_same_v<T, Spacing>) {
      return broken(at, "followed by one of " + field_names<T>(), "nothing");
    } else if constexpr (is_list<T> && std::is_void_v<typename LeafOf<T>::Type>) {
      return broken(at, "followed by a number from 0 to " + std::to_string(target.size()), "nothing");
    } else {
      if (!read_value(target, value)) return broken(at, wanted<T>(), shown(value));
      return check_read(target, rule, at);
    }
  }
  if constexpr (is_list<T>) {
    return change_item(target, rule, path, value, at);
  } else if constexpr (is_kinds<T>) {
    return std::visit(
        [&]<class K>(K& kind) -> std::optional<Problem> {
          if constexpr (Stated<K, 2>) return change_field(kind, path, value, at);
          return broken(at, "the end of the path", quote(path));
        },
        target);
  } else if constexpr (Stated<T, 2>) {
    return change_field(target, path, value, at);
  } else {
    return broken(at, "the end of the path", quote(path));
  }
}

}  // namespace posenc::schema
