// SPDX-License-Identifier: Apache-2.0
// Normal values from random bits, correctly rounded.
#include "src/engine/random/random.h"

#include <algorithm>
#include <cmath>

#include "src/engine/tables/sincos_kernel.h"
#include "src/numerics/elementary.h"

namespace posenc::engine {
namespace {

// ln(u / 2^32) for 0 < u <= 2^32: u = 2^k m, m in [0.7, 1.42), ln m = 2 atanh t, t = (m - 1) / (m + 1). Relative error
// below 2^-46: the series is cut at t^23 / 23 with t < 0.18, and k ln 2 never cancels with ln m (k = 0, or |k ln 2| is
// twice it).
double log_of_fraction(std::uint64_t u) {
  constexpr double ln2 = 0x1.62e42fefa39efp-1;
  int exponent = static_cast<int>(std::bit_width(u)) - 1;
  double m = std::bit_cast<double>((u << (52 - exponent) & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u);  // in [1, 2)
  if (m > 1.41) {
    m /= 2;
    ++exponent;
  }
  const double t = (m - 1) / (m + 1), s = t * t;
  double sum = 0;
  for (int i = 10; i >= 0; --i) sum = sum * s + 1.0 / (2 * i + 1);
  return (exponent - 32) * ln2 + 2 * t * sum;
}

// The logarithm is off by 2^-46 of itself, its root by half of that, the cosine by 2^-46, and four roundings follow.
constexpr numerics::ErrorBound normals = numerics::relative_error(-44, -12);

}  // namespace

bool normal_values(Words2 key, std::uint64_t first, std::size_t count, float* out) {
  std::uint32_t a[block], b[block];
  alignas(64) std::uint64_t phase[block] = {};
  alignas(64) double sine[block], cosine[block];
  bool decided = true;
  for (std::size_t done = 0; done < count; done += block) {
    const std::size_t size = std::min(block, count - done);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t element = first + done + i;
      const Words2 half_counter = words(element / 2);
      const Words4 random = philox({half_counter[0], half_counter[1], 0, 0}, key);
      a[i] = random[element % 2 * 2];
      b[i] = random[element % 2 * 2 + 1];
      phase[i] = std::uint64_t{b[i]} << 32;
    }
    sincos_kernels().of_phases(phase, size, sine, cosine);
    for (std::size_t i = 0; i < size; ++i) {
      // Of a cosine below 2^-12 little is known relative to itself: it is left to the certain path.
      const double z = std::sqrt(-2 * log_of_fraction(std::uint64_t{a[i]} + 1)) * cosine[i];
      const auto bits = std::bit_cast<std::uint64_t>(z);
      const bool doubt = std::abs(cosine[i]) < 0x1p-12 || numerics::in_doubt<float>(bits, normals);
      const std::optional<float> value = doubt ? numerics::gaussian_rounded(a[i], b[i]) : static_cast<float>(z);
      if (value) out[done + i] = *value;
      decided &= value.has_value();
    }
  }
  return decided;
}

}  // namespace posenc::engine
