// SPDX-License-Identifier: Apache-2.0
// Correctly rounded sines and cosines of angles that are given as numbers: what recipes consume.
#pragma once

#include "src/engine/tables/sincos_kernel.h"

namespace posenc::engine {

// False where 2^15 bits did not settle a value, which is then unspecified.

/// RN(sin x) and RN(cos x) of angles x, in radians: `to.sines` of them. An angle that is not finite gives NaN, -0 the
/// sine +0. T: float, double.
template <class T>
[[nodiscard]] bool sine_cosine_of(const double* angles, const Waves<T>& to);

/// The same rounded to f64 first, then to T: float, half, bfloat16.
template <class T>
[[nodiscard]] bool sine_cosine_by_f64(const double* angles, const Waves<T>& to);

}  // namespace posenc::engine
