// SPDX-License-Identifier: Apache-2.0
// Walks the field tables of a convention and changes one field at a time.
#include "src/conventions/neighbours.h"

#include "src/conventions/change.h"

namespace posenc {
namespace {

using schema::is_kinds;
using schema::is_leaf;
using schema::is_list;
using schema::Stated;

struct Neighbours {
  const Convention& of;
  std::vector<Convention> all = {};

  void add(std::string_view path, const FieldValue& value) {
    const FieldChange change = {path, value};
    if (check_changes(of, {&change, 1})) return;
    Convention changed = detail::changed(of, {&change, 1});
    if (changed != of) all.push_back(std::move(changed));
  }

  // Values of a type by itself, whatever the field holds. A list of usual numbers has one of them throughout.
  template <class T>
  void add_values(const std::string& path, std::span<const double> usual) {
    if constexpr (std::is_enum_v<T>) {
      for (const std::string_view word : schema::words_of<T>(2)) add(path, word);
    } else if constexpr (is_leaf<T>) {
      for (const double value : usual) add(path, value);
    } else if constexpr (is_list<T>) {
      if constexpr (is_leaf<typename T::value_type>) {
        for (const double value : usual) add(path, std::vector<double>(2, value));
      }
    } else if constexpr (schema::Bare<T, 2>) {
      add(path, schema::of<T>.name);
    }
  }

  template <class T>
  void add_below(const T& value, const std::string& path, std::span<const double> usual) {
    if constexpr (is_kinds<T>) {
      schema::for_kinds<T, 2>([&]<class K>(schema::Tag<K>) { add_values<K>(path, usual); });
      std::visit(
          [&]<class K>(const K& kind) {
            if constexpr (Stated<K, 2>) add_fields(kind, path + ".");
          },
          value);
    } else if constexpr (Stated<T, 2>) {
      add_fields(value, path + ".");
    } else {
      add_values<T>(path, usual);
    }
  }

  // Every item of a list that has a name for all of them takes part in the change.
  template <class S>
  void add_fields(const S& value, const std::string& prefix) {
    schema::for_fields<S, 2>([&](const auto& field) {
      const auto& member = value.*field.member;
      if constexpr (is_list<std::remove_cvref_t<decltype(member)>>) {
        if (field.each.empty() || member.empty()) return;
        add_below(member.front(), prefix + std::string(field.each), field.usual);
      } else {
        add_below(member, prefix + std::string(field.name), field.usual);
      }
    });
  }
};

}  // namespace

std::vector<Convention> neighbours(const Convention& convention) {
  Neighbours found = {convention};
  std::visit([&](const auto& family) { found.add_fields(family, ""); }, convention);
  return std::move(found.all);
}

}  // namespace posenc
