// SPDX-License-Identifier: Apache-2.0
// A convention as JSON states it: by its short form where there is one.
#pragma once

#include "src/conventions/short_fields.h"

namespace posenc {

/// visit(value, version<V>): the short form with version 1, or the family with version 2.
template <int version>
using Version = std::integral_constant<int, version>;
template <class Visit>
auto visit_stated(const Convention& convention, const Visit& visit) {
  return std::visit(
      [&]<class S>(const S& form) {
        if constexpr (std::is_same_v<S, std::monostate>) {
          return std::visit([&](const auto& family) { return visit(family, Version<2>()); }, convention);
        } else {
          return visit(form, Version<1>());
        }
      },
      short_form(convention));
}

}  // namespace posenc
