// SPDX-License-Identifier: Apache-2.0
// Recipes at work: the roundings of another code base, with correctly rounded elementary functions between them.
#pragma once

#include <posenc/recipe.h>

#include "src/conventions/ladder.h"
#include "src/numerics/elementary.h"

namespace posenc {

/// A value rounded to f32, f64, bf16 or f16, held exactly by a double.
double rounded(DType type, double value);

/// The ladder of a recipe, each number rounded as its steps say. The angle of position p is scale (p entry); under
/// LadderBy::divide the entries are divisors: scale (p / entry). `decided`: 2^15 bits settled every rounding; one that
/// they do not settle is NaN.
struct StepLadder {
  std::vector<double> entries;
  double scale = 1;
  bool decided = true;
};
/// Of a ladder that check_step_ladder admits; `factor` multiplies every angle.
StepLadder step_ladder(const Ladder& ladder, const Span& span, double factor, const Steps& steps);
/// The roundings are said for geometric ladders that fall, unscaled, and for lists, both in radians.
[[nodiscard]] std::optional<Problem> check_step_ladder(const Ladder& ladder, const std::string& recipe);

/// w_k in radians per position, k = 0, 1, ..
std::vector<double> frequencies(const StepLadder& ladder, const Steps& steps);

/// Sine and cosine of position p and entry k after every step and storage rounding; NaN where the angle is beyond its
/// type. Nothing where 2^15 bits do not settle one.
std::optional<numerics::Pair<double>> step_sine_cosine(const Steps& steps, const StepLadder& ladder,
                                                       const numerics::Dyadic& p, std::size_t k);

}  // namespace posenc
