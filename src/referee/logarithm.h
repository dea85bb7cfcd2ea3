// SPDX-License-Identifier: Apache-2.0
// Logarithms and their inverse as doubles: what fits need, a hundred times as fast as correctly rounded ones. Relative
// error below 2^-48, of log_of near 1 as well; the same bits on every machine, as only +, -, *, /, rint, frexp and
// ldexp are used.
#pragma once

namespace posenc::referee {

/// ln x; 0 of what has none.
double log_of(double x);
/// e^x; 0 below the range of doubles, infinity above.
double exp_of(double x);

}  // namespace posenc::referee
