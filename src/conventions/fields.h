// SPDX-License-Identifier: Apache-2.0
// Field tables: what checking, printing, comparing, changing, JSON and pages of conventions are made of.
//
// Every fact about a field stands once, in the Schema of its struct or the Words of its enumeration. The functions that
// read these tables (check.h, print.h, compare.h, change.h and src/spec) know no struct.
#pragma once

#include <posenc/ladders.h>

#include <tuple>

namespace posenc::schema {

// ---- enumerations --------------------------------------------------------------------------------------------

/// A value by its name. `since` is the version of JSON that knows it first.
template <class E>
struct Word {
  E value;
  std::string_view word, doc;
  int since = 1;
};
template <class E>
Word(E, std::string_view, std::string_view, int = 1) -> Word<E>;
/// Of an enumeration: `none`, the name of a value that has no word, and `all`, a constexpr array of Word.
template <class E>
struct Words;

/// The word of a value; empty for a value that has none.
template <class E>
constexpr std::string_view word_of(const E& value) {
  for (const auto& each : Words<E>::all) {
    if (each.value == value) return each.word;
  }
  return {};
}
/// The word, or the text that says that it is none.
template <class E>
constexpr std::string_view text_of_word(const E& value) {
  const std::string_view word = word_of(value);
  return word.empty() ? Words<E>::none : word;
}

// ---- fields --------------------------------------------------------------------------------------------------

/// What a number, or each of a list, must be; as an error says it, and as JSON Schema does.
template <class Leaf>
struct Rule {
  bool (*holds)(const Leaf&);
  std::string_view text, json = {};
};

struct NoRule {};

template <class T>
struct LeafOf {
  using Type = void;
};
template <>
struct LeafOf<double> {
  using Type = double;
};
template <>
struct LeafOf<std::int64_t> {
  using Type = std::int64_t;
};
template <>
struct LeafOf<std::string> {
  using Type = std::string;
};
template <class T>
struct LeafOf<std::vector<T>> : LeafOf<T> {};
/// Of a kind of several: the leaf of the first that has one.
template <>
struct LeafOf<std::variant<>> {
  using Type = void;
};
template <class First, class... Rest>
struct LeafOf<std::variant<First, Rest...>>
    : std::conditional_t<std::is_void_v<typename LeafOf<First>::Type>, LeafOf<std::variant<Rest...>>, LeafOf<First>> {};

template <class T>
using RuleOf = std::conditional_t<std::is_void_v<typename LeafOf<T>::Type>, NoRule, Rule<typename LeafOf<T>::Type>>;

template <class S, class T>
struct Field {
  std::string_view name;  ///< in JSON, in paths, in messages
  T S::* member;
  RuleOf<T> rule;  ///< of a number or a name in it; words and structs have rules of their own
  std::string_view doc;
  std::string_view shown = name;  ///< in print; empty: the fields of its struct stand in its place
  std::string_view each = {};     ///< of a list, in paths: every item
};
template <class S, class T>
Field(std::string_view, T S::*, RuleOf<T>, std::string_view, std::string_view = {}, std::string_view = {})
    -> Field<S, T>;

/// A rule that joins fields: which of them breaks it, what it must be, what it is.
struct Broken {
  std::string field, rule, value;
};

/// Of a struct: `name`, `doc`, `fields`, a constexpr tuple of Field; where fields are joined by rules, a function
/// `whole` that returns the first one Broken. `version` is that of JSON; version 1 states the short forms alone, and
/// only fields that are not plain.
template <class S, int version = 2>
struct Schema;

// ---- what a type is -------------------------------------------------------------------------------------------

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_kinds = false;
template <class... T>
inline constexpr bool is_kinds<std::variant<T...>> = true;
template <class T>
inline constexpr bool is_leaf =
    std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string>;

/// Written as a word: an enumeration; in version 1 a spacing as well.
template <class T, int version>
concept Worded = std::is_enum_v<T> || (version == 1 && std::is_same_v<T, Spacing>);

/// A struct that JSON of that version can state.
template <class T, int version>
concept Stated = requires { Schema<T, version>::fields; };

/// Without fields: its name is all there is to say.
template <class T, int version>
concept Bare = Stated<T, version> && std::tuple_size_v<decltype(Schema<T, version>::fields)> == 0;

/// The first problem that each(field) finds, field by field.
template <class S, int version, class Each>
std::optional<Problem> first_problem(const Each& each) {
  std::optional<Problem> found;
  std::apply([&](const auto&... field) { (void)(... || (found = each(field)).has_value()); },
             Schema<S, version>::fields);
  return found;
}

/// each(field) for every field of a struct.
template <class S, int version, class Each>
constexpr void for_fields(const Each& each) {
  std::apply([&](const auto&... field) { (each(field), ...); }, Schema<S, version>::fields);
}

/// each(Tag<T>()) for every kind T of a variant that the version can state.
template <class T>
struct Tag {
  using Type = T;
};
template <class Kinds, int version, class Each>
constexpr void for_kinds(const Each& each) {
  [&]<class... T>(Tag<std::variant<T...>>) {
    const auto one = [&]<class K>(Tag<K> kind) {
      if constexpr (is_leaf<K> || is_list<K> || Worded<K, version> || Stated<K, version>) each(kind);
    };
    (one(Tag<T>()), ...);
  }(Tag<Kinds>());
}

}  // namespace posenc::schema
