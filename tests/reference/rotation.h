// SPDX-License-Identifier: Apache-2.0
// Rotations by plain loops: the cosines and sines are given, every rounding is written out. Standard library only.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace reference {

/// A storage type: bits of the significand and the exponent of the least normal number (as 2^minimum).
struct Storage {
  int precision, minimum;
};
inline constexpr Storage f32 = {24, -126}, bf16 = {8, -126}, f16 = {11, -14};

/// An f32 rounded to storage, to nearest, ties to even; what storage cannot hold is infinite.
inline float stored(float value, Storage storage) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double x = static_cast<double>(value);
  const double unit = std::ldexp(1.0, std::max(std::ilogb(x), storage.minimum) - storage.precision + 1);
  const double nearest = std::nearbyint(x / unit) * unit;
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - storage.precision), 1 - storage.minimum);
  return static_cast<float>(std::abs(nearest) > largest ? std::copysign(HUGE_VAL, nearest) : nearest);
}

enum class Pairing { adjacent, split_half };

/// The first 2n columns of a row turned by n angles, the others as they are.
inline std::vector<float> rotated(const std::vector<float>& row, const std::vector<float>& cosine,
                                  const std::vector<float>& sine, Pairing pairing, Storage storage) {
  std::vector<float> out = row;
  const std::size_t n = cosine.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t first = pairing == Pairing::adjacent ? 2 * k : k;
    const std::size_t second = pairing == Pairing::adjacent ? 2 * k + 1 : k + n;
    const float xc = row[first] * cosine[k], ys = row[second] * sine[k];
    const float xs = row[first] * sine[k], yc = row[second] * cosine[k];
    const float x = xc - ys, y = xs + yc;
    out[first] = stored(x, storage);
    out[second] = stored(y, storage);
  }
  return out;
}

/// A pair of columns read and written, and its coefficients.
struct Turned {
  std::size_t read[2], written[2];
  float c0, s0, s1, c1;
};

/// The row with every pair (u, v) turned: (u c0 - v s0, u s1 + v c1). Other columns as they are.
inline std::vector<float> turned(const std::vector<float>& row, const std::vector<Turned>& pairs, Storage storage) {
  std::vector<float> out = row;
  for (const Turned& pair : pairs) {
    const float u = row[pair.read[0]], v = row[pair.read[1]];
    const float uc = u * pair.c0, vs = v * pair.s0, us = u * pair.s1, vc = v * pair.c1;
    const float x = uc - vs, y = us + vc;
    out[pair.written[0]] = stored(x, storage);
    out[pair.written[1]] = stored(y, storage);
  }
  return out;
}

}  // namespace reference
