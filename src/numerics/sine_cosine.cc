// SPDX-License-Identifier: Apache-2.0
// Enclosures of sine and cosine at any precision, and the values that are known without them.
#include "src/numerics/sine_cosine.h"

#include <algorithm>

namespace posenc::numerics {
namespace {

// A number of turns >= 0, within 2^error_bits units of turns / 2^point.
struct WideAngle {
  Bignum turns;
  std::int64_t point;
  std::int64_t error_bits;
};

// sin or cos of an angle that is correct to F bits below the binary point, or below its leading bit when it is small.
// F < 2^16.
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
    const Bignum nearest = Bignum(quarters) << (point - 2);
    negative = t < nearest;
    t = negative ? nearest - t : t - nearest;
  }
  if (const std::int64_t excess = t.bit_length() - F; excess > 0) {
    t = t >> excess;
    point -= excess;
    error_bits = std::max<std::int64_t>(error_bits - excess, 0) + 1;
  }

  // x = 2 pi rest, in the same units; pi's own error adds less than 2^32. Then x as a fixed-point number of F bits.
  const Bignum x = t * pi(F) * 2 >> F;
  error_bits = std::max<std::int64_t>(error_bits, 32) + 4;
  const Bignum fixed = point >= F ? x >> (point - F) : x << (F - point);
  const Waves series = waves(fixed * fixed >> F, F);

  const bool sine = wave == Wave::sine;
  const bool sign = sine ? quarter >= 2 : quarter == 1 || quarter == 2;
  if (sine == (quarter % 2 == 0)) {  // +- sin x = x (sin x / x); the series adds less than 2^34 units
    return {sign != negative, x * series.sine_over_x >> F, -point, error_bits + 1};
  }
  // +- cos x: x's error, in units of 2^-F, counts at most once.
  return {sign, series.cosine, -F, std::max<std::int64_t>(error_bits + F - point, 32) + 2};
}
}  // namespace

Enclosure enclose(Wave wave, const Real& x, std::int64_t bits) {
  std::int64_t F = bits + 128;
  const Real turns = x * Real(fraction(1, 2)) * pi_to_the(-1);
  const Enclosure rough = enclose(turns, 64);
  const std::int64_t whole = rough.exponent + std::max(rough.significand.bit_length(), rough.error_bits);
  if (whole > most_whole_bits) return unknown();
  const Enclosure turn = enclose(turns, F + std::max<std::int64_t>(whole, 0));
  // No more bits than the angle has: what never narrows is undecided soon.
  const std::int64_t known = std::max(-turn.exponent - turn.error_bits, correct_bits(turn));
  F = std::min(F, std::max(known, std::int64_t{0}) + 128);
  const std::int64_t shift = std::max(F + turn.exponent, std::int64_t{0});  // at least F bits below the point
  Enclosure result = enclose(wave, {turn.significand << shift, shift - turn.exponent, turn.error_bits + shift}, F);
  result.negative ^= turn.negative && wave == Wave::sine;
  return result;
}

std::optional<Rational> quarter_turns(const Real& x) { return rational(x * Real(2) * pi_to_the(-1)); }

QuarterTurns in_quarter_turns(const Rational& quarters) {
  if (quarters.denominator.bit_length() > 64 || std::abs(quarters.exponent) > 1 << 20) return {};
  return {quarters.denominator.limb(0), static_cast<int>(quarters.exponent),
          static_cast<unsigned>(quarters.numerator.limb(0) & 3)};
}

QuarterTurns quarter_turns_of(const Real& w) {
  const std::optional<Rational> quarters = quarter_turns(w);
  return quarters ? in_quarter_turns(*quarters) : QuarterTurns{};
}

std::optional<Real> known_wave(Wave wave, const Real& x) {
  if (x.zero()) return wave == Wave::sine ? Real() : Real(1);
  const std::optional<Rational> quarters = quarter_turns(x);
  if (!quarters) return std::nullopt;
  const Rational twelfths = *quarters * Rational(6);  // of a half turn
  if (!twelfths.whole()) return std::nullopt;
  const std::int64_t turned = wave == Wave::sine ? 0 : 6;  // cos x = sin(x + pi / 2)
  std::int64_t t = floor(twelfths - Rational(24) * Rational(floor(twelfths * fraction(1, 24)))) + turned;
  const bool negative = t % 24 >= 12;
  t %= 12;
  t = std::min(t, 12 - t);
  if (t == 1 || t == 5) return std::nullopt;
  const Rational square = fraction(t == 0 ? 0 : t == 6 ? 4 : t - 1, 4);  // 2, 3, 4 twelfths: 1/4, 1/2, 3/4
  const Real size = square_root(Real(square));
  return negative ? -size : size;
}

namespace {

Enclosure enclose_cosine(std::span<const Real> x, std::int64_t bits) { return enclose(Wave::cosine, x[0], bits + 64); }

}  // namespace

Real cosine(const Real& x) {
  if (const std::optional<Real> known = known_wave(Wave::cosine, x)) return *known;
  Real wave;
  wave.terms.push_back({.factor = 1, .formulas = {{"cos", enclose_cosine, {x}}}});
  return wave;
}

namespace {

// What a wave times a scale falls short of, by less than 2^-114 of it and more than nothing: of |x| < 2^-57 sin x is x
// (1 - e) and cos x is 1 - e, 0 < e < x^2.
std::optional<Real> limit_of(Wave wave, const Real& x, const Real& scale) {
  const Enclosure size = enclose(x, 64);
  const bool tiny = size.exponent + std::max(size.significand.bit_length(), size.error_bits) < -57;
  if (!tiny || sign(size) == 0) return std::nullopt;
  return wave == Wave::sine ? x * scale : scale;
}

// RN of what is just below a binary fraction of up to 110 bits in size. A boundary, which has 54 bits at most, is that
// fraction or at least 2^-110 of it away; so any number between tells how it rounds, and no number of bits would.
template <class T>
std::optional<T> rounded_below(const Real& limit) {
  const std::optional<Rational> value = rational(limit);
  if (!value || value->denominator != Bignum(1) || value->numerator.bit_length() > 110) return std::nullopt;
  const Leading at = leading(*value);
  const uint128 below = at.significand - 1;
  const bool power = below >> 127 == 0;  // of two
  return round<T>(value->negative, {power ? ~uint128{0} : below, at.exponent - (power ? 1 : 0), true});
}

}  // namespace

template <class T>
std::optional<T> exact_wave(Wave wave, const Real& x, const Real& scale) {
  if (scale.zero()) return from_bits<T>(0);
  if (const std::optional<Real> known = known_wave(wave, x)) {
    if (!known->zero()) return rounded<T>(*known * scale);
    const std::optional<int> side = sign(scale);
    if (!side) return std::nullopt;
    const bool turned = wave == Wave::sine && !x.zero() && x.terms[0].factor.negative;
    return round<T>(turned != (*side < 0), Leading{0, -(std::int64_t{1} << 40), true});
  }
  if (const std::optional<Real> limit = limit_of(wave, x, scale)) {
    if (const std::optional<T> value = rounded_below<T>(*limit)) return value;
  }
  return settle_certainly<T>([&](std::int64_t bits) {
    if (scale == Real(1)) return enclose(wave, x, bits);
    const Enclosure by = enclose(scale, bits);
    const std::int64_t known = std::max(correct_bits(by), std::int64_t{0});
    return multiply(enclose(wave, x, std::min(bits, known + 64)), by, bits + 64);
  });
}

Scale scale(const Real& value) { return {value, approximation(value)}; }

template std::optional<float> exact_wave<float>(Wave, const Real&, const Real&);
template std::optional<double> exact_wave<double>(Wave, const Real&, const Real&);
template std::optional<half> exact_wave<half>(Wave, const Real&, const Real&);
template std::optional<bfloat16> exact_wave<bfloat16>(Wave, const Real&, const Real&);

}  // namespace posenc::numerics
