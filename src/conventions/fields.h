// SPDX-License-Identifier: Apache-2.0
// Field tables: what checking, printing, comparing, changing, JSON and pages of conventions are made of.
//
// Every fact about a field stands once, in the Schema of its struct or the Words of its enumeration. The functions that
// read these tables (check.h, print.h, compare.h, change.h and src/spec) know no struct.
#pragma once

#include <posenc/ladders.h>

#include <span>
#include <tuple>

namespace posenc::schema {

/// Of a type that has no table.
struct NoTable {};

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
/// Of an enumeration: the name of a value that has no word, and all words.
template <class E, std::size_t count>
struct Words {
  template <class... Each>
  constexpr Words(std::string_view no_word, const Each&... each) : none(no_word), all{each...} {}
  std::string_view none;
  std::array<Word<E>, count> all;
};
template <class E, class... More>
Words(std::string_view, Word<E>, More...) -> Words<E, 1 + sizeof...(More)>;
/// The Words of an enumeration.
template <class E>
inline constexpr NoTable words;

/// The word of a value; empty for a value that has none.
template <class E>
constexpr std::string_view word_of(const E& value) {
  for (const auto& each : words<E>.all) {
    if (each.value == value) return each.word;
  }
  return {};
}
/// The word, or the text that says that it is none.
template <class E>
constexpr std::string_view text_of_word(const E& value) {
  const std::string_view word = word_of(value);
  return word.empty() ? words<E>.none : word;
}

/// The words that a version knows.
template <class E>
std::vector<std::string_view> words_of(int version) {
  std::vector<std::string_view> known;
  for (const auto& each : words<E>.all) {
    if (each.since <= version) known.push_back(each.word);
  }
  return known;
}
/// The value of one of those words.
template <class E>
std::optional<E> value_of(std::string_view word, int version) {
  for (const auto& each : words<E>.all) {
    if (each.since <= version && each.word == word) return each.value;
  }
  return std::nullopt;
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
inline constexpr bool is_leaf =
    std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string>;
/// What one is called.
template <class T>
[[gnu::visibility("hidden")]] inline constexpr std::string_view leaf_name =
    std::is_same_v<T, double>         ? "a number"
    : std::is_same_v<T, std::int64_t> ? "an integer"
                                      : "a name";

template <class T>
struct LeafOf {
  using Type = std::conditional_t<is_leaf<T>, T, void>;
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
  std::string_view shown = name;       ///< in print; empty: the fields of its struct stand in its place
  std::string_view each = {};          ///< of a list, in paths: every item
  std::span<const double> usual = {};  ///< of a number: what published models state
};
template <class S, class T>
Field(std::string_view, T S::*, RuleOf<T>, std::string_view, std::string_view = {}, std::string_view = {},
      std::span<const double> = {}) -> Field<S, T>;

/// A rule that joins fields: which of them breaks it, what it must be, what it is.
struct Broken {
  std::string field, rule, value;
};

/// A struct: its name, and a tuple of Field.
template <class Fields = std::tuple<>>
struct Schema {
  std::string_view name, doc;
  Fields fields = {};
};
template <class Fields = std::tuple<>>
Schema(std::string_view, std::string_view, Fields = {}) -> Schema<Fields>;
/// The Schema of a struct. `version` is that of JSON; version 1 states the short forms alone, and only fields that are
/// not plain.
template <class S, int version = 2>
inline constexpr NoTable of;
/// The first rule that joins fields and is broken; of structs with such rules it stands beside their fields. No table
/// holds it: what reads tables in other libraries must not need it.
template <class S, int version = 2>
std::optional<Broken> whole(const S&) {
  return std::nullopt;
}
/// What a struct is before its fields are read; those that the version does not state are plain.
template <class S, int version>
S unread() {
  return {};
}

// ---- what a type is -------------------------------------------------------------------------------------------

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_kinds = false;
template <class... T>
inline constexpr bool is_kinds<std::variant<T...>> = true;

/// Written as a word: an enumeration; in version 1 a spacing as well.
template <class T, int version>
concept Worded = std::is_enum_v<T> || (version == 1 && std::is_same_v<T, Spacing>);

/// A struct that JSON of that version can state.
template <class T, int version>
concept Stated = requires { of<T, version>.fields; };

/// Without fields: its name is all there is to say.
template <class T, int version>
concept Bare = Stated<T, version> && std::tuple_size_v<decltype(of<T, version>.fields)> == 0;

/// The first problem that each(field) finds, field by field.
template <class S, int version, class Each>
std::optional<Problem> first_problem(const Each& each) {
  std::optional<Problem> found;
  std::apply([&](const auto&... field) { (void)(... || (found = each(field)).has_value()); }, of<S, version>.fields);
  return found;
}

/// each(field) for every field of a struct.
template <class S, int version, class Each>
constexpr void for_fields(const Each& each) {
  std::apply([&](const auto&... field) { (each(field), ...); }, of<S, version>.fields);
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
