// SPDX-License-Identifier: Apache-2.0
// Comparing by field tables: the paths of fields that differ, numbers by their bits.
#pragma once

#include <bit>

#include "src/conventions/path.h"
#include "src/conventions/print.h"

namespace posenc::schema {

template <class T>
bool same_leaf(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  } else {
    return a == b;
  }
}

/// each(path, text of a, text of b) for every difference.
template <class T, class Each>
void differences(const T& a, const T& b, const Path& at, const Each& each) {
  const auto differ = [&] { each(at, text_of<2>(a), text_of<2>(b)); };
  if constexpr (std::is_enum_v<T> || is_leaf<T>) {
    if (!same_leaf(a, b)) differ();
  } else if constexpr (is_list<T>) {
    if (a.size() != b.size()) return differ();
    for (std::size_t i = 0; i < a.size(); ++i) differences(a[i], b[i], {&at, {}, i}, each);
  } else if constexpr (is_kinds<T>) {
    if (a.index() != b.index()) return differ();
    std::visit([&]<class K>(const K& kind) { differences(kind, std::get<K>(b), at, each); }, a);
  } else if constexpr (Stated<T, 2>) {
    for_fields<T, 2>(
        [&](const auto& field) { differences(a.*field.member, b.*field.member, {&at, field.name}, each); });
  }
}

}  // namespace posenc::schema
