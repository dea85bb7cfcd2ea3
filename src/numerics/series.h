// SPDX-License-Identifier: Apache-2.0
// Elementary functions of fixed-point numbers of any length, by power series over integers.
//
// A fixed-point number x is the natural number floor(x 2^F). Each result is off by less than 2^30 units of 2^-F for F <
// 2^16: a series has fewer than F terms, each cut a few times by less than one unit. The last precision of Ziv's loop
// (ziv.h) and the refusal of angles with more than 2^14 bits of whole turns (sine_cosine.h, evaluate.h) keep F below.
#pragma once

#include "src/numerics/bignum.h"

namespace posenc::numerics {

/// A fixed-point number with a sign.
struct Signed {
  bool negative = false;
  Bignum size;
};

Signed operator+(const Signed& a, const Signed& b);

/// pi; for F up to 1280 from its digits, which every logarithm and every angle asks for, beyond by Machin's formula
/// 16 atan(1/5) - 4 atan(1/239).
Bignum pi(std::int64_t F);
/// ln 2; for F up to 1280 from its digits, beyond as 2 atanh(1/3).
Bignum ln2(std::int64_t F);

/// e^y = scale * 2^exponent, scale in [1, 2]; |y| < 2^31.
struct Exponential {
  Bignum scale;
  std::int64_t exponent;
};
Exponential exp(const Signed& y, std::int64_t F);

/// cos x and sin x / x for x^2 = u, 0 <= u < 1.
struct Waves {
  Bignum cosine, sine_over_x;
};
Waves waves(const Bignum& u, std::int64_t F);

}  // namespace posenc::numerics
