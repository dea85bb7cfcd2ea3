// SPDX-License-Identifier: Apache-2.0
// Follows a path through the field tables to the usual values of its last field.
#include "src/conventions/usual_values.h"

#include <algorithm>

#include "src/conventions/check.h"
#include "src/conventions/family_fields.h"

namespace posenc {
namespace {

using schema::is_kinds;
using schema::is_list;
using schema::Stated;

template <class T>
std::span<const double> usual_below(const T& value, std::span<const double> own, std::string_view path);

template <class S>
std::span<const double> usual_of_field(const S& value, std::string_view path) {
  const std::size_t dot = std::min(path.find('.'), path.size());
  const std::string_view step = path.substr(0, dot), rest = path.substr(std::min(dot + 1, path.size()));
  std::span<const double> usual;
  schema::for_fields<S, 2>([&](const auto& field) {
    const auto& member = value.*field.member;
    if (step == field.name) usual = usual_below(member, field.usual, rest);
    if constexpr (is_list<std::remove_cvref_t<decltype(member)>>) {
      if (!field.each.empty() && step == field.each && !member.empty()) {
        usual = usual_below(member.front(), field.usual, rest);
      }
    }
  });
  return usual;
}

// An item of a list has the usual values of its first: "ladders.1.base".
template <class T>
std::span<const double> usual_below(const T& value, std::span<const double> own, std::string_view path) {
  if (path.empty()) return own;
  if constexpr (is_list<T>) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    return value.empty() ? own : usual_below(value.front(), own, path.substr(std::min(dot + 1, path.size())));
  } else if constexpr (is_kinds<T>) {
    return std::visit(
        [&]<class K>(const K& kind) -> std::span<const double> {
          if constexpr (Stated<K, 2>) return usual_of_field(kind, path);
          return {};
        },
        value);
  } else if constexpr (Stated<T, 2>) {
    return usual_of_field(value, path);
  } else {
    return {};
  }
}

}  // namespace

std::span<const double> usual_values(const Convention& convention, std::string_view path) {
  return std::visit([&](const auto& family) { return usual_of_field(family, path); }, convention);
}

}  // namespace posenc
