// SPDX-License-Identifier: Apache-2.0
// What a Real is in numbers: enclosed, compared, rounded.
#pragma once

#include "src/numerics/real.h"
#include "src/numerics/ziv.h"

namespace posenc::numerics {

/// The bits of an angle with whole turns, for a sine of most_bits.
inline constexpr std::int64_t most_enclosed_bits = most_bits + most_whole_bits + 128;

/// An enclosure of x, made with `bits` + 64 bits, 0 < bits: the relative error is below 2^-bits for one term of
/// powers with exponents below 2^20 in size, more where terms cancel or formulas say less. unknown() where a power is
/// beyond e^(2^30), and beyond most_enclosed_bits.
Enclosure enclose(const Real& x, std::int64_t bits);

/// -1, 0 or 1; nothing where 2^15 bits do not tell a sum from 0.
std::optional<int> sign(const Real& x);
/// Is a < b? Nothing where 2^15 bits do not tell.
std::optional<bool> less(const Real& a, const Real& b);
/// floor(x), below 2^62 in size; nothing where 2^15 bits do not tell.
std::optional<std::int64_t> floor(const Real& x);

/// RN(x), ties to even. Rationals are decided exactly; nothing where 2^15 bits do not settle another number.
template <class T>
std::optional<T> rounded(const Real& x) {
  if (const std::optional<Rational> value = rational(x)) return rounded<T>(*value);
  return settle_certainly<T>([&](std::int64_t bits) { return enclose(x, bits); });
}

}  // namespace posenc::numerics
