// SPDX-License-Identifier: Apache-2.0
// What is done to geometric ladders for long contexts.
#pragma once

#include "src/conventions/ladder.h"

namespace posenc {

/// The scaling has a meaning over that span.
[[nodiscard]] std::optional<Problem> check_scaling(const Geometric& ladder, const Span& span, const std::string& width);

/// unit first base^(k exponent) of every k, scaled.
plan::Ladder scaled(const Geometric& ladder, const numerics::Rational& exponent, const Span& span,
                    const numerics::Real& unit);

}  // namespace posenc
