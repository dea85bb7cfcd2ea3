// SPDX-License-Identifier: Apache-2.0
// What is done to geometric ladders for long contexts.
#pragma once

#include "src/conventions/ladder.h"

namespace posenc {

/// The scaling has a meaning over that span.
[[nodiscard]] std::optional<Problem> check_scaling(const Geometric& ladder, const Span& span, const std::string& width);

/// first base^(k exponent), its base scaled; of a scaling that makes each entry anew, the rule before it.
plan::Rule scaled_rule(const Geometric& ladder, const numerics::Rational& exponent, const Span& span);

/// Does it change the base, and with it how the frequencies go?
bool scales_base(const Scaling& scaling);

/// No entry is divided by less: 1, or what a scaling that makes each entry anew may divide it by.
double least_divisor(const Scaling& scaling);

/// unit first base^(k exponent) of every k, scaled.
plan::Ladder scaled(const Geometric& ladder, const numerics::Rational& exponent, const Span& span,
                    const numerics::Real& unit);

}  // namespace posenc
