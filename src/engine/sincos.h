// SPDX-License-Identifier: Apache-2.0
// Correctly rounded sines and cosines of one position times many frequencies: what every sink of the engine consumes.
#pragma once

#include "src/engine/rungs.h"
#include "src/engine/sincos_kernel.h"
#include "src/numerics/certain.h"

namespace posenc::engine {

/// The sines and cosines of the frequencies of a row, RN(sin(p w_i)) and RN(cos(p w_i)): each the real number rounded
/// once to T (float, double, half, bfloat16).
template <class T>
void sine_cosine(const Rungs& rungs, const numerics::Dyadic& p, const Waves<T>& to);

}  // namespace posenc::engine
