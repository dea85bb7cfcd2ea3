// SPDX-License-Identifier: Apache-2.0
// Logarithms and their inverse as doubles, correctly rounded; 0 of what has none.
#pragma once

#include "src/numerics/elementary.h"

namespace posenc::referee {

inline double log_of(double x) { return x > 0 ? numerics::log_rounded<double>(x).value_or(0) : 0; }
inline double exp_of(double x) { return numerics::exp_rounded<double>(x).value_or(0); }

}  // namespace posenc::referee
