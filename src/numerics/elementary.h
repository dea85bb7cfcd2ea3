// SPDX-License-Identifier: Apache-2.0
// Correctly rounded elementary functions: what stands between the roundings of a recipe. No libm symbol is used.
#pragma once

#include "src/numerics/sine_cosine.h"

namespace posenc::numerics {

// Nothing is returned where 2^15 bits do not settle a value, which a theorem rules out for all of these (ziv.h).

/// RN(e^x) for every double x. NaN gives NaN; overflow infinity; underflow a subnormal or 0. T: float, double.
template <class T>
std::optional<T> exp_rounded(double x);

/// RN(ln x) for x > 0, finite.
template <class T>
std::optional<T> log_rounded(double x);

/// x > 0, finite, of which many powers are asked: its logarithm is made once.
struct Base {
  double value;
  std::optional<Approximation> log;  // of any but 1
};
Base base(double x);

/// RN(x^y) for y finite. Powers that are rational are rounded directly (10000^0.25 = 10).
template <class T>
std::optional<T> pow_rounded(const Base& x, double y);

/// RN(sin x) and RN(cos x) for every finite double. T: float, double, half, bfloat16.
template <class T>
std::optional<Pair<T>> sine_cosine_rounded(double x) {
  return exact_sine_cosine<T>(1, unit_turn(), dyadic(x));
}

/// RN_f32(sqrt(-2 ln u1) cos(2 pi u2)), u1 = (a + 1) / 2^32, u2 = b / 2^32. Exact zeros are +0.
std::optional<float> gaussian_rounded(std::uint32_t a, std::uint32_t b);

}  // namespace posenc::numerics
