// SPDX-License-Identifier: Apache-2.0
// The sines and cosines of one position under a recipe.
#pragma once

#include "src/conventions/arithmetic.h"
#include "src/engine/tables/angles.h"

namespace posenc {

/// Those of every entry of a recipe's ladder after all its roundings, the last to T (float, double, half, bfloat16),
/// scaled; NaN where an angle is beyond its type. False where one was not settled.
template <class T>
[[nodiscard]] bool recipe_waves(const Steps& steps, const StepLadder& ladder, const numerics::Dyadic& p,
                                const engine::Waves<T>& to);

/// The same of angles that are made, one an entry of the ladder, which says how waves are scaled.
template <class T>
[[nodiscard]] bool waves_of_angles(const Steps& steps, const StepLadder& ladder, const double* angles,
                                   const engine::Waves<T>& to);

/// The entry of a coordinate: RN(p) to Steps::angle, scaled and stored as waves are.
template <class T>
T recipe_coordinate(const Steps& steps, const StepScale& scale, const numerics::Dyadic& p);

/// The entry of a column that is at_zero, scaled.
template <class T>
T recipe_constant(const Steps& steps, const StepScale& scale, unsigned quarters);

}  // namespace posenc
