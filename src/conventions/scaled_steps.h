// SPDX-License-Identifier: Apache-2.0
// Scaled ladders under a recipe: the roundings of ScalingBy::transformers.
#pragma once

#include <posenc/recipe.h>

#include "src/conventions/ladder.h"

namespace posenc {

/// The base from which a recipe's powers are made: B, scaled by operations of f64 where the scaling is of the base, or
/// of the frequency's type under dynamic NTK. Nothing where 2^15 bits do not settle it.
std::optional<double> step_base(const Geometric& ladder, const Span& span, DType frequency);

/// `powers` are B^e_k, each rounded to steps.frequency; they become w_k scaled. False where a logarithm was not
/// settled.
[[nodiscard]] bool scale_powers(const Geometric& ladder, const Span& span, const Steps& steps,
                                std::vector<double>& powers);

}  // namespace posenc
