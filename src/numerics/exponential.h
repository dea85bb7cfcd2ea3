// SPDX-License-Identifier: Apache-2.0
// Powers from 128-bit integers: the quick path of e^x and x^y, with its error bound.
#pragma once

#include "src/numerics/rounding_test.h"

namespace posenc::numerics {

/// A finite double, not 0.
Approximation approximation(double x);

/// e^x. Nothing for |x| of 2^14 or more.
std::optional<Approximation> quick_exp(const Approximation& x);

}  // namespace posenc::numerics
