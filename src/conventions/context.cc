// SPDX-License-Identifier: Apache-2.0
// Contexts checked, and the regimes of ladders that depend on a length.
#include <posenc/context.h>

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"

namespace posenc {
namespace {

std::int64_t regime_of(const Scaling& scaling, std::int64_t length) {
  if (const auto* by = std::get_if<DynamicNtkScaling>(&scaling)) return std::max<std::int64_t>(length - by->length, 0);
  if (const auto* by = std::get_if<LongRopeScaling>(&scaling)) return length > by->length ? 1 : 0;
  return 0;
}

// Each term never falls with the length, so equal sums have equal terms.
std::int64_t regime_of(const std::vector<Ladder>& ladders, std::int64_t length) {
  std::int64_t sum = 0;
  for (const Ladder& ladder : ladders) {
    if (const auto* geometric = std::get_if<Geometric>(&ladder)) sum += regime_of(geometric->scaling, length);
  }
  return sum;
}

}  // namespace

std::optional<Problem> check_context(const Context& context) {
  if (context.length < 0) {
    return Problem{"context", "length must be >= 0", std::to_string(context.length)};
  }
  if (context.head < 0) {
    return Problem{"context", "head must be >= 0", std::to_string(context.head)};
  }
  if (context.centre && !(std::abs(*context.centre) <= 0x1p53)) {
    return Problem{"context", "centre must be a number of size up to 2^53", to_text(*context.centre)};
  }
  if (context.learned && !std::isfinite(*context.learned)) {
    return Problem{"context", "learned must be finite", to_text(*context.learned)};
  }
  return std::nullopt;
}

std::optional<Problem> check_regime(std::int64_t length) {
  if (length >= 0) return std::nullopt;
  return Problem{"regime", "length must be >= 0", std::to_string(length)};
}

std::int64_t detail::regime(const Convention& convention, std::int64_t length) {
  return std::visit(
      [&]<class Family>(const Family& family) -> std::int64_t {
        if constexpr (requires { family.ladders; }) return regime_of(family.ladders, length);
        return 0;
      },
      convention);
}

}  // namespace posenc
