// SPDX-License-Identifier: Apache-2.0
// Powers from 128-bit integers: the quick path of e^x and x^y, with its error bound.
#pragma once

#include "src/numerics/rational.h"
#include "src/numerics/rounding_test.h"

namespace posenc::numerics {

/// A finite double, not 0.
Approximation approximation(double x);

/// e^x. Nothing for |x| of 2^14 or more.
std::optional<Approximation> quick_exp(const Approximation& x);

/// ln x, x > 0, off by some 2^-110 of itself. Nothing for x beyond 2^63 or below 2^-63, or as near to 1 as 2^-40.
std::optional<Approximation> quick_log(const Approximation& x);

/// The leading bits of |x|, x not 0.
Approximation approximation(const Rational& x);

}  // namespace posenc::numerics
