// SPDX-License-Identifier: Apache-2.0
// Enclosures: a real number between two binary fractions, and arithmetic that keeps it there.
#pragma once

#include "src/numerics/rational.h"
#include "src/numerics/series.h"

namespace posenc::numerics {

/// A real number within 2^error_bits units of +- significand * 2^exponent.
struct Enclosure {
  bool negative;
  Bignum significand;
  std::int64_t exponent;
  std::int64_t error_bits;
};

/// The rounding test of an enclosure.
template <class T>
std::optional<T> settle(const Enclosure& x) {
  if (x.error_bits >= x.significand.bit_length()) return std::nullopt;  // 0 may be in it
  const Bignum error = Bignum(1) << x.error_bits;
  const T a = round<T>(x.negative, leading(x.significand - error, x.exponent));
  const T b = round<T>(x.negative, leading(x.significand + error, x.exponent));
  if (a == b) return a;
  return std::nullopt;
}

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
Enclosure negated(Enclosure x);
Enclosure add(const Enclosure& a, const Enclosure& b, std::int64_t bits);
Enclosure multiply(const Enclosure& a, const Enclosure& b, std::int64_t bits);
Enclosure divide(const Enclosure& a, const Enclosure& b, std::int64_t bits);
Enclosure square_root(const Enclosure& x, std::int64_t bits);
/// ln x; bits < 2^15. The absolute error is the relative one of x and 2^-bits.
Enclosure log(const Enclosure& x, std::int64_t bits);
/// ln x of a rational number > 0; bits < 2^15. The absolute error is 2^-bits.
Enclosure log(const Rational& x, std::int64_t bits);
/// e^x; bits < 2^15. The relative error is the absolute one of x and 2^-bits; unknown() for |x| of 2^30 or more.
Enclosure exp(const Enclosure& x, std::int64_t bits);
/// pi; bits < 2^15.
Enclosure enclose_pi(std::int64_t bits);

}  // namespace posenc::numerics
