// SPDX-License-Identifier: Apache-2.0
// Checking by field tables: the first field that is not stated or breaks its rule.
#pragma once

#include "src/base/to_text.h"
#include "src/conventions/fields.h"
#include "src/conventions/path.h"

namespace posenc::schema {

inline std::string shown_leaf(double value) { return to_text(value); }
inline std::string shown_leaf(std::int64_t value) { return std::to_string(value); }
inline std::string shown_leaf(const std::string& value) { return "'" + value + "'"; }

template <int version, class T>
std::optional<Problem> check(const T& value, const RuleOf<T>& rule, const Path& at);

template <int version, class T>
std::optional<Problem> check_list(const std::vector<T>& list, const RuleOf<T>& rule, const Path& at) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if constexpr (is_leaf<T>) {
      auto found = check<version>(list[i], rule, at);
      if (!found) continue;
      found->index = {static_cast<std::int64_t>(i)};
      return found;
    } else if (auto found = check<version>(list[i], rule, {&at, {}, i})) {
      return found;
    }
  }
  return std::nullopt;
}

template <int version, class S>
std::optional<Problem> check_struct(const S& value, const Path& at) {
  auto found = first_problem<S, version>([&](const auto& field) {
    return check<version>(value.*field.member, field.rule, {&at, field.shown.empty() ? field.shown : field.name});
  });
  if (found) return found;
  if (auto joint = whole<S, version>(value)) return broken({&at, joint->field}, joint->rule, std::move(joint->value));
  return std::nullopt;
}

/// The rule is that of the field in which the value stands.
template <int version, class T>
std::optional<Problem> check(const T& value, const RuleOf<T>& rule, const Path& at) {
  if constexpr (Worded<T, version>) {
    if (word_of(value).empty()) return broken(at, "stated", "none");
    return std::nullopt;
  } else if constexpr (is_leaf<T>) {
    if (rule.holds(value)) return std::nullopt;
    return broken(at, rule.text, shown_leaf(value));
  } else if constexpr (is_list<T>) {
    return check_list<version>(value, rule, at);
  } else if constexpr (is_kinds<T>) {
    return std::visit(
        [&]<class K>(const K& kind) -> std::optional<Problem> {
          if constexpr (is_leaf<K> || is_list<K>) {
            return check<version>(kind, rule, at);
          } else if constexpr (Worded<K, version> || Stated<K, version>) {
            return check<version>(kind, NoRule{}, at);
          } else {
            return broken(at, "stated", "none");
          }
        },
        value);
  } else {
    return check_struct<version>(value, at);
  }
}

/// Of a whole struct.
template <int version, class S>
std::optional<Problem> check(const S& value) {
  return check_struct<version>(value, Path{});
}

}  // namespace posenc::schema
