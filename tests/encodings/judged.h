// SPDX-License-Identifier: Apache-2.0
// Counts of entries held against their real numbers: each must be that number rounded once.
#pragma once

#include <posenc/core.h>

#include <bit>
#include <cmath>

#include "tests/oracle/sines.h"

namespace posenc::test {

// The value of a pattern without its sign, decoded without the library.
inline double decode(float, std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
inline double decode(double, std::uint64_t bits) { return std::bit_cast<double>(bits); }
inline double decode(bfloat16, std::uint64_t bits) { return decode(0.0f, bits << 16); }
inline double decode(half, std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10);
  const auto fraction = static_cast<double>(bits & 1023);
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}
inline std::uint64_t pattern(float value) { return std::bit_cast<std::uint32_t>(value); }
inline std::uint64_t pattern(double value) { return std::bit_cast<std::uint64_t>(value); }
template <class T>
std::uint64_t pattern(T value) {
  return value.bits;
}

/// How `got` stands to the real number y.
template <class T>
oracle::Verdict judged(oracle::Sum y, T got) {
  constexpr std::uint64_t sign = std::uint64_t{1} << (8 * sizeof(T) - 1);
  const std::uint64_t bits = pattern(got) & ~sign;
  if ((pattern(got) & sign) != 0) y = {-y.high, -y.low};
  const double below = bits == 0 ? -decode(got, 1) : decode(got, bits - 1);
  if (bits == 0 && y.high < 0) return oracle::Verdict::wrong;  // a zero of the other sign
  return oracle::judge(y, decode(got, bits), below, decode(got, bits + 1));
}

struct Count {
  std::int64_t checked = 0, wrong = 0, undecided = 0;
  Count& operator+=(const Count& other) {
    checked += other.checked;
    wrong += other.wrong;
    undecided += other.undecided;
    return *this;
  }
  template <class T>
  void add(const oracle::Sum& y, T got) {
    const oracle::Verdict verdict = judged(y, got);
    ++checked;
    wrong += verdict == oracle::Verdict::wrong ? 1 : 0;
    undecided += verdict == oracle::Verdict::undecided ? 1 : 0;
  }
};

}  // namespace posenc::test
