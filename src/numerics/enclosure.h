// SPDX-License-Identifier: Apache-2.0
// Arithmetic of enclosures: a real number between two binary fractions stays between two.
#pragma once

#include "src/numerics/rational.h"
#include "src/numerics/rounding_test.h"
#include "src/numerics/series.h"

namespace posenc::numerics {

/// What is known of a number before anything is: it is smaller than 2^(2^40).
Enclosure unknown();
/// -1 or 1, or 0 where 0 may be in it.
int sign(const Enclosure& x);
/// Bits that are certain: the relative error is below 2^-(correct_bits); 0 or less where nothing is.
std::int64_t correct_bits(const Enclosure& x);

// Each result holds what the exact operation gives for every pair of numbers in the arguments, and is cut to `bits`
// bits. The relative errors add, and 2^-(bits - 3) at most comes on top; sums cancel, so theirs may be as large as they
// are. Where an argument allows no answer (a divisor, a logarithm or a root that may be of 0) the result is unknown().
Enclosure enclose(const Rational& x, std::int64_t bits);
Enclosure add(const Enclosure& a, const Enclosure& b, std::int64_t bits);
Enclosure multiply(const Enclosure& a, const Enclosure& b, std::int64_t bits);
Enclosure divide(const Enclosure& a, const Enclosure& b, std::int64_t bits);
Enclosure square_root(const Enclosure& x, std::int64_t bits);
/// ln x; bits < 2^15. The absolute error is the relative one of x and 2^-bits.
Enclosure log(const Enclosure& x, std::int64_t bits);
/// ln x of a rational number > 0; bits < 2^15. The absolute error is 2^-bits.
inline Enclosure log(const Rational& x, std::int64_t bits) { return log(enclose(x, bits + 8), bits); }
/// e^x; bits < 2^15. The relative error is the absolute one of x and 2^-bits; unknown() for |x| of 2^30 or more.
Enclosure exp(const Enclosure& x, std::int64_t bits);
/// pi; bits < 2^15.
Enclosure enclose_pi(std::int64_t bits);

}  // namespace posenc::numerics
