// SPDX-License-Identifier: Apache-2.0
// A row turned pair by pair, its angles and magnitudes by MPFR: the oracle of rotations.
#pragma once

#include <posenc/families.h>

#include "tests/numerics/formats.h"

namespace posenc::test {

inline float nearest_f32(const oracle::Value& x) { return static_cast<float>(oracle::rounded(x, oracle::f32)); }

/// 10000^(-2k / width).
inline oracle::Value paper_frequency(std::size_t k, int width) {
  return pow(oracle::Value(10000), oracle::Value(-2) * oracle::Value(static_cast<double>(k)) / oracle::Value(width));
}

inline oracle::Value no_magnitude(std::size_t) { return oracle::Value(1); }

/// Pair k turned by angle(k); cosine and sine are multiplied by magnitude(k) and rounded once.
template <class Angle, class Magnitude>
std::vector<float> turned_row(const std::vector<float>& row, Pairing pairing, const Angle& angle,
                              const Magnitude& magnitude) {
  std::vector<float> out = row;
  const std::size_t n = row.size() / 2;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t a = pairing == Pairing::adjacent ? 2 * k : k, b = pairing == Pairing::adjacent ? a + 1 : k + n;
    const float c = nearest_f32(magnitude(k) * cos(angle(k))), s = nearest_f32(magnitude(k) * sin(angle(k)));
    out[a] = row[a] * c - row[b] * s, out[b] = row[a] * s + row[b] * c;
  }
  return out;
}
template <class Angle>
std::vector<float> turned_row(const std::vector<float>& row, Pairing pairing, const Angle& angle) {
  return turned_row(row, pairing, angle, no_magnitude);
}

}  // namespace posenc::test
