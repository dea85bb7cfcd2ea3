// SPDX-License-Identifier: Apache-2.0
// Ladders of one width, as real numbers: what the fields of a ladder mean.
#pragma once

#include <posenc/ladders.h>

#include "src/plan/ladder.h"

namespace posenc {

/// What a ladder spans.
struct Span {
  std::int64_t width;       ///< columns: of the row, of an axis's run, or those that turn
  std::int64_t count;       ///< frequencies
  std::int64_t length = 0;  ///< tokens of the sequence; 0: not stated
};

/// e_k = k numerator / denominator.
struct Exponent {
  std::uint64_t numerator, denominator;
};
/// Nothing where the spacing divides by 0 or less.
std::optional<Exponent> exponent(const Spacing& spacing, const Span& span);

/// The ladder has a meaning over that span. `width` is what messages call its columns.
[[nodiscard]] std::optional<Problem> check_span(const Ladder& ladder, const Span& span, const std::string& width);

/// The frequencies times `factor`, in radians per position.
plan::Ladder lower_ladder(const Ladder& ladder, const Span& span, double factor);

/// Radians in one unit.
numerics::Real radians(AngleUnit unit);

}  // namespace posenc
