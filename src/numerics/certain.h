// SPDX-License-Identifier: Apache-2.0
// Correct rounding with certainty: an enclosure at 256 bits, then at twice as many, until its ends round alike.
//
// It ends for sin(p w) and cos(p w): base and position are rational, so a non-zero angle is algebraic, its sine and
// cosine are transcendental (Lindemann), and no enclosure keeps a rounding boundary for ever. An angle of 0 is handled
// before.
#pragma once

#include "src/numerics/phase.h"

namespace posenc::numerics {

/// A real number within 2^error_bits units of significand * 2^exponent.
struct Enclosure {
  bool negative;
  Wide significand;
  std::int64_t exponent;
  std::int64_t error_bits;
};

/// The rounding test of an enclosure.
template <class T>
std::optional<T> settle(const Enclosure& x) {
  const Wide error = Wide(1) << x.error_bits;
  if (!(error < x.significand)) return std::nullopt;
  const T a = round<T>(x.negative, leading(x.significand - error, x.exponent));
  const T b = round<T>(x.negative, leading(x.significand + error, x.exponent));
  if (a == b) return a;
  return std::nullopt;
}

/// RN of the number that `enclose(bits)` encloses ever more tightly.
template <class T, class Enclose>
T settle_certainly(const Enclose& enclose) {
  for (std::int64_t bits = 256;; bits *= 2) {
    if (const std::optional<T> value = settle<T>(enclose(bits))) return *value;
  }
}

/// Which of the two.
enum class Wave : std::uint8_t { sine, cosine };

/// A number of turns >= 0, within 2^error_bits units of turns / 2^point.
struct WideAngle {
  Wide turns;
  std::int64_t point;
  std::int64_t error_bits;
};

/// sin or cos of an angle that is correct to F bits below the binary point, or below its leading bit when it is small.
Enclosure enclose(Wave wave, WideAngle angle, std::int64_t F);

/// sin(p w) or cos(p w) with about `bits` bits; p and w are not 0.
Enclosure enclose(Wave wave, const Frequency& w, const Dyadic& p, std::int64_t bits);

template <class T>
struct Pair {
  T sine, cosine;
};

/// RN(sin(p w)) and RN(cos(p w)), each the real number rounded once to T (float, double, half, bfloat16). `turn` is
/// w's. sin 0 = +0 and cos 0 = 1.
template <class T>
Pair<T> exact_sine_cosine(const Frequency& w, const Turn& turn, const Dyadic& p) {
  if (p.zero() || turn.zero()) return {T(0.0f), T(1.0f)};
  std::optional<T> sine, cosine;
  if (const std::optional<SineCosine> quick = quick_sine_cosine(turn, p)) {
    sine = settle<T>(quick->sine);
    cosine = settle<T>(quick->cosine);
  }
  const auto certain = [&](Wave wave) {
    return settle_certainly<T>([&](std::int64_t bits) { return enclose(wave, w, p, bits); });
  };
  return {sine ? *sine : certain(Wave::sine), cosine ? *cosine : certain(Wave::cosine)};
}

}  // namespace posenc::numerics
