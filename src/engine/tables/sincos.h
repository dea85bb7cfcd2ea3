// SPDX-License-Identifier: Apache-2.0
// Correctly rounded sines and cosines of one position times many frequencies: what every sink of the engine consumes.
#pragma once

#include "src/engine/tables/frequencies.h"
#include "src/engine/tables/sincos_kernel.h"
#include "src/numerics/sine_cosine.h"

namespace posenc::engine {

/// The sines and cosines of a row, RN(c sin(p |w_i|)) and RN(c cos(p w_i)), c the factor of the rungs: each the real
/// number rounded once to T (float, double, half, bfloat16). False where 2^15 bits did not settle one, which is then
/// unspecified.
template <class T>
[[nodiscard]] bool sine_cosine(const Rungs& rungs, const numerics::Dyadic& p, const Waves<T>& to);

}  // namespace posenc::engine
