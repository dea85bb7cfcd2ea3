// SPDX-License-Identifier: Apache-2.0
// Enclosures of sine and cosine at any precision.
#include "src/numerics/certain.h"

#include <algorithm>

namespace posenc::numerics {

Enclosure enclose(Wave wave, WideAngle angle, std::int64_t F) {
  auto& [t, point, error_bits] = angle;

  // Reduce to an eighth of a turn: t = quarter / 4 +- rest.
  unsigned quarter = 0;
  bool negative = false;
  if (t.bit_length() > point - 3) {
    t = low_bits(t, point);
    const std::uint64_t eighths = (t >> (point - 3)).limb(0);
    const std::uint64_t quarters = (eighths + 1) / 2;  // 4 is the whole turn above
    quarter = static_cast<unsigned>(quarters % 4);
    const Wide nearest = Wide(quarters) << (point - 2);
    negative = t < nearest;
    t = negative ? nearest - t : t - nearest;
  }
  if (const std::int64_t excess = t.bit_length() - F; excess > 0) {
    t = t >> excess;
    point -= excess;
    error_bits = std::max<std::int64_t>(error_bits - excess, 0) + 1;
  }

  // x = 2 pi rest, in the same units; pi's own error adds less than 2^32. Then x as a fixed-point number of F bits.
  const Wide x = t * pi(F) * 2 >> F;
  error_bits = std::max<std::int64_t>(error_bits, 32) + 4;
  const Wide fixed = point >= F ? x >> (point - F) : x << (F - point);
  const Waves series = waves(fixed * fixed >> F, F);

  const bool sine = wave == Wave::sine;
  const bool sign = sine ? quarter >= 2 : quarter == 1 || quarter == 2;
  if (sine == (quarter % 2 == 0)) {  // +- sin x = x (sin x / x); the series adds less than 2^34 units
    return {sign != negative, x * series.sine_over_x >> F, -point, error_bits + 1};
  }
  // +- cos x: x's error, in units of 2^-F, counts at most once.
  return {sign, series.cosine, -F, std::max<std::int64_t>(error_bits + F - point, 32) + 2};
}

Enclosure enclose(Wave wave, const Frequency& w, const Dyadic& p, std::int64_t bits) {
  const std::int64_t F = bits + 128;
  const WideTurn rough = wide_turn(w, 64);
  const std::int64_t whole = rough.significand.bit_length() + rough.exponent + p.exponent + 64;  // bits of whole turns
  const std::int64_t correct = F + std::max<std::int64_t>(whole, 0);
  const WideTurn turn = wide_turn(w, correct);
  const Wide t = turn.significand * p.mantissa;
  Enclosure result =
      enclose(wave, {t, -(turn.exponent + p.exponent), std::max<std::int64_t>(t.bit_length() - correct, 0)}, F);
  result.negative ^= p.negative && wave == Wave::sine;
  return result;
}

}  // namespace posenc::numerics
