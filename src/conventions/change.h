// SPDX-License-Identifier: Apache-2.0
// Changing by field tables: a value is read as the type of the field that a path names.
#pragma once

#include <charconv>
#include <cmath>
#include <functional>

#include "src/base/quote.h"
#include "src/conventions/check.h"
#include "src/conventions/family_fields.h"
#include "src/conventions/unstated.h"

namespace posenc::schema {

/// As an error shows it.
inline std::string shown(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value.value)) return to_text(*number);
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value.value)) return quote(*text);
  const auto& list = std::get<std::vector<double>>(value.value);
  return "[" + listed(list, [](double x) { return to_text(x); }) + "]";
}

inline std::optional<double> number_of(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value.value)) return *number;
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) return static_cast<double>(*integer);
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr || text->empty()) return std::nullopt;
  double number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, status] = std::from_chars(text->data(), end, number);
  return status == std::errc{} && stop == end && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// A double stands for an integer below 2^53, where it is no other number rounded.
inline std::optional<std::int64_t> integer_of(const FieldValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) return *integer;
  if (const auto* number = std::get_if<double>(&value.value)) {
    const bool exact = std::abs(*number) < 0x1p53 && std::trunc(*number) == *number;
    return exact ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
  }
  const auto* text = std::get_if<std::string>(&value.value);
  if (text == nullptr) return std::nullopt;
  std::int64_t integer = 0;
  const char* end = text->data() + text->size();
  const auto [stop, status] = std::from_chars(text->data(), end, integer);
  return status == std::errc{} && stop == end ? std::optional(integer) : std::nullopt;
}

/// The items of a list that is written with commas between them, or given as numbers. Nothing beside a comma is an item
/// too, which no list admits.
inline std::vector<FieldValue> items_of(const FieldValue& value) {
  std::vector<FieldValue> items;
  if (const auto* list = std::get_if<std::vector<double>>(&value.value)) {
    for (const double number : *list) items.emplace_back(number);
  } else if (const auto* text = std::get_if<std::string>(&value.value)) {
    std::string_view rest = *text;
    for (std::size_t comma = rest.find(','); comma != rest.npos; comma = rest.find(',')) {
      items.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(comma + 1);
    }
    items.emplace_back(rest);
  } else {
    items.push_back(value);
  }
  return items;
}

/// The words and names that a value of the type may be, "one of own, dealt, summed".
template <class T>
std::string choices() {
  std::vector<std::string_view> all;
  if constexpr (is_kinds<T>) {
    for_kinds<T, 2>([&]<class K>(Tag<K>) {
      if constexpr (std::is_enum_v<K>) {
        for (const std::string_view word : words_of<K>(2)) all.push_back(word);
      } else if constexpr (Stated<K, 2>) {
        all.push_back(of<K>.name);
      } else {
        all.push_back(is_list<K> ? "a list of numbers" : "a number");
      }
    });
  } else {
    all = words_of<T>(2);
  }
  return "one of " + listed(all, std::identity());
}

/// Reads the value as T; false where it is none.
template <class T>
bool read_value(T& target, const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value.value);
  if constexpr (std::is_enum_v<T> || std::is_same_v<T, Spacing>) {
    const std::optional<T> named = text == nullptr ? std::nullopt : value_of<T>(*text, 2);
    return named && (target = *named, true);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return text != nullptr && (target = *text, true);
  } else if constexpr (std::is_same_v<T, double>) {
    const std::optional<double> number = number_of(value);
    return number && (target = *number, true);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    const std::optional<std::int64_t> integer = integer_of(value);
    return integer && (target = *integer, true);
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
        found = text != nullptr && *text == of<K>.name;
        leave_unstated(kind);
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
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return "an integer in plain digits";
  } else if constexpr (is_leaf<T>) {
    return std::string(leaf_name<T>);
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
      posenc::broken(at.up == nullptr ? "the path must begin with one of " + field_names<S>()
                                      : "the path must go on with one of " + field_names<S>() + " after " + at.text(),
                     quote(step));
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
  if (index == list.size()) leave_unstated(list.emplace_back());
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
