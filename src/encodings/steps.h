// SPDX-License-Identifier: Apache-2.0
// Recipes at work: the roundings of another code base, with correctly rounded elementary functions between them.
#pragma once

#include <posenc/recipe.h>

#include "src/encodings/ladder.h"
#include "src/numerics/elementary.h"

namespace posenc {

/// A value rounded to f32, f64, bf16 or f16, held exactly by a double.
double rounded(DType type, double value);

/// The ladder of a recipe, each entry rounded as its steps say. Under LadderBy::divide the entries are divisors of p.
std::vector<double> step_ladder(const RowForm& form, const Steps& steps);

/// Sine and cosine of position p and ladder entry w after every step and storage rounding; NaN where the angle is
/// beyond its type.
numerics::Pair<double> step_sine_cosine(const Steps& steps, const numerics::Dyadic& p, double w);

}  // namespace posenc
