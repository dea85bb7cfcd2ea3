// SPDX-License-Identifier: Apache-2.0
// The paths that a change of a convention may name, from the field tables.
#include <posenc/spec/spec.h>

#include "src/base/environment.h"
#include "src/conventions/family_fields.h"

namespace posenc::io {
namespace {

using Paths = std::vector<PathWords>;

// As read_value reads them: words of enumerations, names of kinds.
template <class T>
std::vector<std::string_view> words_of() {
  std::vector<std::string_view> all;
  if constexpr (schema::is_kinds<T>) {
    schema::for_kinds<T, 2>([&]<class K>(schema::Tag<K>) {
      if constexpr (schema::Stated<K, 2>) {
        all.push_back(schema::of<K>.name);
      } else {
        for (const std::string_view word : words_of<K>()) all.push_back(word);
      }
    });
  } else if constexpr (requires { schema::words<T>.all; }) {
    return schema::words_of<T>(2);
  }
  return all;
}

template <class T>
void add(Paths& paths, const std::string& path, const T& value);

template <class S>
void add_fields(Paths& paths, const std::string& before, const S& value) {
  schema::for_fields<S, 2>([&](const auto& field) {
    const auto& member = value.*field.member;
    using T = std::remove_cvref_t<decltype(member)>;
    const std::string path = before + std::string(field.name);
    if constexpr (schema::is_list<T>) {
      const bool named = !field.each.empty();
      if (named && !member.empty()) add(paths, before + std::string(field.each), member.front());
      if constexpr (std::is_void_v<typename schema::LeafOf<T>::Type>) {
        for (std::size_t i = named && member.size() == 1 ? 1 : 0; i < member.size(); ++i) {
          add(paths, path + "." + std::to_string(i), member[i]);
        }
        return;
      }
    }
    add(paths, path, member);
  });
}

template <class T>
void add(Paths& paths, const std::string& path, const T& value) {
  constexpr bool fields_alone = schema::Stated<T, 2> && !requires { schema::words<T>.all; };
  if constexpr (!fields_alone) paths.push_back({path, words_of<T>()});
  if constexpr (schema::Stated<T, 2>) add_fields(paths, path + ".", value);
  if constexpr (schema::is_kinds<T>) {
    std::visit(
        [&]<class K>(const K& kind) {
          if constexpr (schema::Stated<K, 2>) add_fields(paths, path + ".", kind);
        },
        value);
  }
}

}  // namespace

std::vector<PathWords> paths_of(const Convention& convention, std::span<const FieldChange> changes) {
  const DefaultEnvironment environment;
  Paths paths;
  std::visit([&](const auto& family) { add_fields(paths, "", family); }, detail::changed(convention, changes));
  return paths;
}

}  // namespace posenc::io
