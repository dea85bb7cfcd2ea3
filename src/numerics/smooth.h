// SPDX-License-Identifier: Apache-2.0
// Numbers 2^i 3^j 5^k, whose logarithms are three constants: nearly all bases that people write are such, 10000,
// 500000, 150000. Every other number is within 1 part in 160 of one with |j| and |k| up to 4, which leaves a series a
// third of its terms.
#pragma once

#include "src/numerics/series.h"

namespace posenc::numerics {

/// The constants have so many bits below the binary point; that of 2 alone goes on.
inline constexpr std::int64_t most_smooth_bits = 1280;

/// ln 3 and ln 5 in units of 2^-F, F up to most_smooth_bits, truncated: too small by less than one unit.
Bignum ln3(std::int64_t F);
Bignum ln5(std::int64_t F);

/// 2^twos 3^threes 5^fives.
struct Smooth {
  std::int64_t twos = 0, threes = 0, fives = 0;

  friend Smooth operator+(const Smooth& a, const Smooth& b) {
    return {a.twos + b.twos, a.threes + b.threes, a.fives + b.fives};
  }
};

/// The number of factors, those below 1 too.
std::uint64_t factors(const Smooth& x);

/// ln x in units of 2^-F, with an error below one unit for each factor; beyond most_smooth_bits, where x is a power of
/// 2, below 2^20 units.
Signed log(const Smooth& x, std::int64_t F);

/// smooth * rest, rest a whole number.
struct SmoothPart {
  Smooth smooth;
  Bignum rest;
};
/// All factors 2 of x > 0, and where the others fit a limb all factors 3 and 5.
SmoothPart smooth_part(const Bignum& x);

/// The candidates of nearest_smooth: all numbers of the table, or powers of 2.
enum class NearSmooth : std::uint8_t { any = 1, powers_of_two };
/// The number 2^i 3^j 5^k, |j| and |k| up to 4, with the least ratio to m in [1/2, 1].
const Smooth& nearest_smooth(double m, NearSmooth which);

}  // namespace posenc::numerics
