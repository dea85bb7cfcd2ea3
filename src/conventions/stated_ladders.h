// SPDX-License-Identifier: Apache-2.0
// The ladders of a convention as its fields state them: for who tells how a frequency comes about.
#pragma once

#include "src/conventions/lower.h"

namespace posenc {

/// The ladder of an axis, and what it spans.
struct StatedLadder {
  Ladder ladder;
  Span span;
};
/// One an axis; none of conventions without ladders. For callers that have called check_lower.
std::vector<StatedLadder> stated_ladders(const Convention& convention, const LoweredFor& given);

/// Radians in the unit of the ladder.
numerics::Real unit_of_angles(const Ladder& ladder);

/// w_k as the fields say it before a scaling, "10000^(-36/512)"; words where that is no formula.
std::string rule_of(const Ladder& ladder, const Span& span, std::size_t k);

/// A ladder of powers without a scaling: w_k is first base^(-e_k), or base^(+e_k) where it rises.
struct PlainPowers {
  double base;
  Exponent exponent;
  LadderSlope slope;
};
std::optional<PlainPowers> plain_powers(const Ladder& ladder, const Span& span);

}  // namespace posenc
