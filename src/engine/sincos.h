// SPDX-License-Identifier: Apache-2.0
// Correctly rounded sines and cosines of one position times many frequencies: what every sink of the engine consumes.
#pragma once

#include "src/engine/rungs.h"
#include "src/numerics/certain.h"

namespace posenc::engine {

/// sine[i] = RN(sin(p w_(first + i))), cosine[i] = RN(cos(p w_(first + i))), i < count: each the real number rounded
/// once to T (float, double, half, bfloat16).
template <class T>
void sine_cosine(const Rungs& rungs, const numerics::Dyadic& p, std::size_t first, std::size_t count, T* sine,
                 T* cosine);

}  // namespace posenc::engine
