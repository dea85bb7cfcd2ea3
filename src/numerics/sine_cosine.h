// SPDX-License-Identifier: Apache-2.0
// Sine and cosine of an angle in closed form, times a scale, rounded once: known values directly, others by Ziv's loop.
//
// The sign of an exact zero is that of IEEE 754's sinPi and cosPi: a sine of 0 has the sign of the angle where that is
// not 0 (sin(-pi) is -0) and is +0 at angle 0; a cosine of 0 is +0; a negative scale turns both. Callers that compute
// with |p| and turn the sine's sign for p < 0 give every sine of 0, at frequency 0 too, the sign of the position.
#pragma once

#include <algorithm>
#include <span>

#include "src/numerics/phase.h"

namespace posenc::numerics {

/// Which of the two.
enum class Wave : std::uint8_t { sine = 1, cosine };

/// sin x or cos x with about `bits` bits; x is not 0. unknown() where x has 2^14 bits of whole turns.
Enclosure enclose(Wave wave, const Real& x, std::int64_t bits);

/// x / (pi / 2) where that is a rational number.
std::optional<Rational> quarter_turns(const Real& x);

/// A frequency that is a rational multiple of pi, as quarter turns a position: numerator / denominator * 2^exponent.
/// Whole quarter turns are, of the angles that are 0 or rational multiples of pi, the only ones with a sine or cosine
/// of 0 or +-1.
struct QuarterTurns {
  std::uint64_t denominator = 0;  // odd; 0: another frequency
  int exponent = 0;
  unsigned numerator = 0;  // modulo 4: 1 or 3, or 0 for frequency 0

  /// |p| w modulo 4 where it is whole; p is not 0.
  std::optional<unsigned> whole(const Dyadic& p) const {
    if (denominator == 0 || (denominator != 1 && p.mantissa % denominator != 0)) return std::nullopt;
    if (numerator == 0) return 0u;
    const std::uint64_t times = p.mantissa / denominator;
    const int twos = exponent + p.exponent;
    if (twos + std::countr_zero(times) < 0) return std::nullopt;
    return static_cast<unsigned>((twos < 0 ? times >> -twos : times << std::min(twos, 2)) * numerator & 3);
  }
};
/// Of w >= 0; denominator 0 where w is no rational multiple of pi, or one that reaches whole quarter turns beyond int64
/// alone.
QuarterTurns quarter_turns_of(const Real& w);
/// The same of a frequency of so many quarter turns.
QuarterTurns in_quarter_turns(const Rational& quarters);

/// sin x or cos x where its square is rational: x = 0, or x = pi r with 4 r or 6 r whole.
std::optional<Real> known_wave(Wave wave, const Real& x);
/// cos x as a real number: the known one, or a formula.
Real cosine(const Real& x);

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

/// RN(c sin) and RN(c cos) of the angle that a sum of products is, by the leading bits of c; `certain(wave)` gives the
/// value where those do not tell.
template <class T, class Certain>
std::optional<Pair<T>> exact_pair(const TurnSum& sum, const std::optional<Approximation>& c, const Certain& certain) {
  std::optional<T> sine, cosine;
  if (const std::optional<SineCosine> quick = c ? sum.waves() : std::nullopt) {
    sine = settle<T>(multiply(quick->sine, *c));
    cosine = settle<T>(multiply(quick->cosine, *c));
  }
  if (!sine) sine = certain(Wave::sine);
  if (!cosine) cosine = certain(Wave::cosine);
  if (sine && cosine) return Pair<T>{*sine, *cosine};
  return std::nullopt;
}

/// RN(sin(p w)) and RN(cos(p w)), each the real number rounded once to T (float, double, half, bfloat16); nothing where
/// 2^15 bits do not settle them. `turn` is w's and w >= 0: of a negative frequency the caller turns the sine's sign.
/// sin 0 = +0 and cos 0 = 1.
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

}  // namespace posenc::numerics
