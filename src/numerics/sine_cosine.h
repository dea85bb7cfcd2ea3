// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of an angle in closed form, times a scale, rounded once: known values directly, others by Ziv's loop.
//
// The sign of an exact zero is that of IEEE 754's sinPi and cosPi: a sine of 0 has the sign of the angle where that is
// not 0 (sin(-pi) is -0) and is +0 at angle 0; a cosine of 0 is +0; a negative scale turns both. Callers that compute
// with |p| and turn the sine's sign for p < 0 give every sine of 0, at frequency 0 too, the sign of the position.
#pragma once

#include <span>

#include "src/numerics/phase.h"

namespace posenc::numerics {

/// Which of the two.
enum class Wave : std::uint8_t { sine = 1, cosine };

/// A number of turns >= 0, within 2^error_bits units of turns / 2^point.
struct WideAngle {
  Bignum turns;
  std::int64_t point;
  std::int64_t error_bits;
};

/// sin or cos of an angle that is correct to F bits below the binary point, or below its leading bit when it is small.
/// F < 2^16.
Enclosure enclose(Wave wave, WideAngle angle, std::int64_t F);

/// sin(p w) or cos(p w) with about `bits` bits; p and w are not 0. unknown() where p w has 2^14 bits of whole turns.
Enclosure enclose(Wave wave, const Frequency& w, const Dyadic& p, std::int64_t bits);
/// sin x or cos x with about `bits` bits; x is not 0. unknown() where x has 2^14 bits of whole turns.
Enclosure enclose(Wave wave, const Real& x, std::int64_t bits);

/// x / (pi / 2) where that is a rational number.
std::optional<Rational> quarter_turns(const Real& x);

/// p w as whole quarter turns modulo 4 where it is exactly that: of the angles that are 0 or rational multiples of pi,
/// the only ones whose sine or cosine is 0 or +-1.
std::optional<unsigned> whole_quarters(const Real& w, const Dyadic& p);

/// The frequency of a column whose whole quarter turns are told by a division: p w is whole quarter turns for an int64
/// p if and only if `every` divides p, and then it is p / every * quarters of them, modulo 4.
struct WholeQuarters {
  std::uint64_t every;
  unsigned quarters;  // 0 to 3; odd or `every` is 1
};
/// Of a w that is not a rational multiple of pi, or reaches whole quarter turns beyond int64 alone: nothing.
std::optional<WholeQuarters> whole_quarters(const Real& w);

/// sin x or cos x where its square is rational: x = 0, or x = pi r with 4 r or 6 r whole.
std::optional<Real> known_wave(Wave wave, const Real& x);

template <class T>
struct Pair {
  T sine, cosine;
};

/// RN(scale sin x) or RN(scale cos x); nothing where 2^15 bits do not settle it.
template <class T>
std::optional<T> exact_wave(Wave wave, const Real& x, const Real& scale);

/// A scale with what the quick path needs of it.
struct Scale {
  Real value;
  std::optional<Approximation> leading;
};
Scale scale(const Real& value);

/// exact_wave of the angle that the products add up to (with a phase as one of them, times 1), the quick path first;
/// `angle()` makes the same sum as a Real and is asked where that gives up. No products: angle 0.
template <class T, class Angle>
std::optional<T> exact_wave(Wave wave, std::span<const TurnProduct> products, const Angle& angle, const Scale& by) {
  if (const std::optional<SineCosine> quick = quick_sine_cosine(products); quick && by.leading) {
    const Approximation& value = wave == Wave::sine ? quick->sine : quick->cosine;
    if (const std::optional<T> settled = settle<T>(multiply(value, *by.leading))) return settled;
  }
  return exact_wave<T>(wave, angle(), by.value);
}

/// RN(sin(p w)) and RN(cos(p w)), each the real number rounded once to T (float, double, half, bfloat16); nothing where
/// 2^15 bits do not settle them. `turn` is w's and w >= 0: of a negative frequency the caller turns the sine's sign.
template <class T>
std::optional<Pair<T>> exact_sine_cosine(const Real& w, const Turn& turn, const Dyadic& p) {
  std::optional<T> sine, cosine;
  if (!p.zero() && !turn.zero()) {
    if (const std::optional<SineCosine> quick = quick_sine_cosine(turn, p)) {
      sine = settle<T>(quick->sine);
      cosine = settle<T>(quick->cosine);
      if (sine && cosine) return Pair<T>{*sine, *cosine};
    }
  }
  const Real x = w * Real(Rational(p));
  if (!sine) sine = exact_wave<T>(Wave::sine, x, 1);
  if (!cosine) cosine = exact_wave<T>(Wave::cosine, x, 1);
  if (sine && cosine) return Pair<T>{*sine, *cosine};
  return std::nullopt;
}

/// The same for a w that is algebraic, as a Frequency is: Lindemann's theorem ends the loop. sin 0 = +0 and cos 0 = 1.
template <class T>
Pair<T> exact_sine_cosine(const Frequency& w, const Turn& turn, const Dyadic& p) {
  if (p.zero() || turn.zero()) return {T(0.0f), T(1.0f)};
  std::optional<T> sine, cosine;
  if (const std::optional<SineCosine> quick = quick_sine_cosine(turn, p)) {
    sine = settle<T>(quick->sine);
    cosine = settle<T>(quick->cosine);
  }
  const auto certain = [&](Wave wave) {
    return by_theorem(Theorem::lindemann,
                      settle_certainly<T>([&](std::int64_t bits) { return enclose(wave, w, p, bits); }));
  };
  return {sine ? *sine : certain(Wave::sine), cosine ? *cosine : certain(Wave::cosine)};
}

}  // namespace posenc::numerics
