// SPDX-License-Identifier: Apache-2.0
// Positions of every kind: around zero, at the ends of int64, fractional.
#pragma once

#include <posenc/positions.h>

#include <limits>

namespace posenc::proof {

constexpr std::int64_t two_to_53 = std::int64_t{1} << 53, two_to_62 = std::int64_t{1} << 62;

inline constexpr std::array<std::int64_t, 17> extreme_integers = {std::numeric_limits<std::int64_t>::min(),
                                                                  std::numeric_limits<std::int64_t>::min() + 1,
                                                                  -two_to_62,
                                                                  -two_to_53 - 1,
                                                                  -(std::int64_t{1} << 31) - 1,
                                                                  -16777217,
                                                                  -1,
                                                                  0,
                                                                  1,
                                                                  65536,
                                                                  16777217,
                                                                  std::int64_t{1} << 32,
                                                                  two_to_53,
                                                                  two_to_53 + 1,
                                                                  two_to_62,
                                                                  999999999999999989,
                                                                  std::numeric_limits<std::int64_t>::max()};

// The last but one is subnormal.
inline constexpr std::array<double, 14> extreme_reals = {-0x1p53,   -1e9 - 0.125, -1000.1,   -0.5,  -0.0,
                                                         0.0,       1e-9,         0.1,       0.75,  999.9,
                                                         1e7 + 0.3, 0x1p52 + 0.5, 0x1p-1060, 0x1p53};

/// From below zero, one by one.
inline Positions near() { return Positions::range(-9, 25); }
inline Positions integers() { return Positions::list(view(extreme_integers.data(), {std::ssize(extreme_integers)})); }
/// Five of them: a signal of the extreme ones may take 100 us.
inline Positions some_reals() { return Positions::list(view(extreme_reals.data(), {5})); }
inline Positions reals() { return Positions::list(view(extreme_reals.data(), {std::ssize(extreme_reals)})); }

}  // namespace posenc::proof
