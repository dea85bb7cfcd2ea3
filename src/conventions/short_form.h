// SPDX-License-Identifier: Apache-2.0
// Which short form a convention has, asked without copying its ladder.
#pragma once

#include "src/conventions/short_fields.h"

namespace posenc {

enum class Short : std::uint8_t { none = 0, sinusoid, grid, timestep, rotary, bias };
POSENC_EXPORT Short short_of(const Convention& convention);

/// visit(value, version<V>): the short form with version 1, or the family with version 2.
template <int version>
using Version = std::integral_constant<int, version>;
template <class Visit>
auto visit_stated(const Convention& convention, const Visit& visit) {
  constexpr Version<1> first;
  switch (short_of(convention)) {
    case Short::sinusoid: return visit(*short_form<Sinusoid>(convention), first);
    case Short::grid: return visit(*short_form<Grid>(convention), first);
    case Short::timestep: return visit(*short_form<Timestep>(convention), first);
    case Short::rotary: return visit(*short_form<PlainRotary>(convention), first);
    case Short::bias: return visit(*short_form<Bias>(convention), first);
    case Short::none: break;
  }
  return std::visit([&](const auto& each) { return visit(each, Version<2>()); }, convention);
}

}  // namespace posenc
