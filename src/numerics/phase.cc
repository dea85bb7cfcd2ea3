// SPDX-License-Identifier: Apache-2.0
// Sine and cosine from 128-bit integers.
#include "src/numerics/phase.h"

#include "src/numerics/factorials.h"

namespace posenc::numerics {
namespace {

// The series of sin x / x and cos x beyond their leading 1. x < 0.786: x^33 / 33! < 2^-133 and x^34 / 34! < 2^-139 are
// left out.
constexpr auto sine_series = inverse_factorials<15>(3, 2);
constexpr auto cosine_series = inverse_factorials<16>(2, 2);

// 2 pi / 8 in units of 2^-128
constexpr uint128 two_pi_over_8 = uint128{0xC90FDAA22168C234u} << 64 | 0xC4C6628B80DC1CD1u;

// u (c0 - u (c1 - u (c2 - ...))): what the series subtracts from 1. Off by less than 12 units.
template <std::size_t count>
uint128 below_one(uint128 u, const std::array<uint128, count>& c) {
  uint128 sum = c[count - 1];
  for (std::size_t i = count - 1; i-- > 0;) sum = c[i] - multiply_high(u, sum);
  return multiply_high(u, sum);
}

struct Turns {
  std::array<std::uint64_t, 5> limbs;
  std::int64_t fraction_bits;  // the binary point stands left of this many bits
};

Turns multiply(const Turn& w, const Dyadic& p) {
  Turns t = {{}, 256 - w.exponent - p.exponent};
  uint128 carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    carry += uint128{w.significand[i]} * p.mantissa;
    t.limbs[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  t.limbs[4] = static_cast<std::uint64_t>(carry);
  return t;
}

// The 128 bits of t whose lowest has index `low`, 0 <= low.
uint128 bits_from(const std::array<std::uint64_t, 5>& t, std::int64_t low) {
  const auto at = [&](std::int64_t limb) { return limb < 5 ? t[static_cast<std::size_t>(limb)] : 0; };
  const std::int64_t limb = low / 64;
  const int shift = static_cast<int>(low % 64);
  const uint128 lower = uint128{at(limb + 1)} << 64 | at(limb);
  return shift == 0 ? lower : lower >> shift | uint128{at(limb + 2)} << (128 - shift);
}

std::int64_t bit_length(const std::array<std::uint64_t, 5>& t) {
  for (std::size_t i = 5; i-- > 0;) {
    if (t[i] != 0) return static_cast<std::int64_t>(i + 1) * 64 - std::countl_zero(t[i]);
  }
  return 0;
}

// An angle reduced to at most an eighth of a turn: quarter * 1/4 +- significand / 2^128 * 2^exponent turns.
struct Reduced {
  unsigned quarter;
  bool negative;
  uint128 significand;  // top bit set
  std::int64_t exponent;
  uint128 error;  // in units of the significand's last place
};

// The angle of a fraction of a turn that is off by less than `error` units of 2^-128, error < 2^61; nothing where it is
// too near a multiple of a quarter turn. Part of the quick path, which takes tens of nanoseconds: no calls.
[[gnu::always_inline]] inline std::optional<Reduced> nearest_quarter(uint128 fraction, uint128 error) {
  const auto quarter = static_cast<unsigned>((fraction + (uint128{1} << 125)) >> 126);
  uint128 rest = fraction - (uint128{quarter} << 126);
  const bool negative = rest >> 127 != 0;
  if (negative) rest = 0 - rest;
  const int shift = rest == 0 ? 128 : countl_zero(rest);
  if (shift > 58) return std::nullopt;
  return Reduced{quarter, negative, rest << shift, -shift, error << shift};
}

// A fraction of a turn, off by less than `error` units of 2^-128.
struct Fraction {
  uint128 part, error;
};

// From all digits of w: 256 bits of them, below those that p makes whole turns of, give a fraction that is cut by less
// than 2^64 units of 2^-256, and the digits' own error is 2^-300 of a turn.
[[gnu::cold]] std::optional<Fraction> fraction_by_digits(const Turn& w, const Dyadic& p) {
  const std::int64_t low = digits_below - p.exponent - 256;
  if (w.digits.empty() || low < 0) return std::nullopt;
  const auto limb = [&](std::int64_t i) {
    return static_cast<std::size_t>(i) < w.digits.size() ? w.digits[static_cast<std::size_t>(i)] : 0;
  };
  const int shift = static_cast<int>(low % 64);
  std::uint64_t product[4];
  uint128 carry = 0;
  for (std::int64_t i = 0; i < 4; ++i) {
    const uint128 two = uint128{limb(low / 64 + i + 1)} << 64 | limb(low / 64 + i);
    carry += uint128{static_cast<std::uint64_t>(two >> shift)} * p.mantissa;
    product[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return Fraction{uint128{product[3]} << 64 | product[2], 2};
}

// Of t = w p, whose significand has 256 bits with a relative error of 2^-240: off by less than 2^(length - 240 -
// fraction_bits), at most 2^most_error_bits units.
[[gnu::always_inline]] inline std::optional<Fraction> fraction_of(const Turns& t, std::int64_t length, const Turn& w,
                                                                  const Dyadic& p, std::int64_t most_error_bits) {
  const std::int64_t error_bits = length - 240 - t.fraction_bits + 128;
  if (t.fraction_bits < 128 || error_bits > most_error_bits) return fraction_by_digits(w, p);
  return Fraction{bits_from(t.limbs, t.fraction_bits - 128), error_bits > 0 ? (uint128{1} << error_bits) + 1 : 2};
}

std::optional<Reduced> reduce(const Turn& w, const Dyadic& p) {
  const Turns t = multiply(w, p);
  const std::int64_t length = bit_length(t.limbs);  // at least 256
  if (length - t.fraction_bits <= -3) {             // below an eighth: nothing to reduce, the relative precision stays
    return Reduced{0, false, bits_from(t.limbs, length - 128), length - t.fraction_bits, 2};
  }
  const std::optional<Fraction> turned = fraction_of(t, length, w, p, 60);
  if (!turned) return std::nullopt;
  return nearest_quarter(turned->part, turned->error);
}

[[gnu::always_inline]] inline SineCosine evaluate(const Reduced& r, bool negative) {
  // x = 2 pi * reduced turns, in [0, 0.786): significand and exponent, and as a fixed-point number of 128 bits.
  uint128 x = multiply_high(r.significand, two_pi_over_8);
  std::int64_t exponent = r.exponent + 3;
  uint128 error = r.error + 4;
  if (x >> 127 == 0) {
    x <<= 1;
    --exponent;
    error *= 2;
  }
  const uint128 fixed = exponent > -128 ? x >> -exponent : 0;
  const uint128 u = multiply_high(fixed, fixed);

  // sin x = x (1 - below_one): relative to x the error grows by less than 20 units, and doubles with the shift.
  uint128 s = x - multiply_high(x, below_one(u, sine_series));
  std::int64_t s_exponent = exponent;
  uint128 s_error = error + 20;
  if (s >> 127 == 0) {
    s <<= 1;
    --s_exponent;
    s_error *= 2;
  }
  // cos x = 1 - below_one, in [0.7, 1): x's absolute error counts at most once, the series and the 1 for 20 units.
  const uint128 c = ~below_one(u, cosine_series);
  const Approximation sine = {r.negative, s, s_exponent, s_error};
  const Approximation cosine = {false, c, 0, error + 20};

  SineCosine result = {sine, cosine};
  if (r.quarter % 2 == 1) std::swap(result.sine, result.cosine);
  result.sine.negative ^= r.quarter == 2 || r.quarter == 3;
  result.cosine.negative ^= r.quarter == 1 || r.quarter == 2;
  result.sine.negative ^= negative;
  return result;
}

}  // namespace

std::optional<SineCosine> quick_sine_cosine(const Turn& w, const Dyadic& p) {
  const std::optional<Reduced> r = reduce(w, p);
  if (!r) return std::nullopt;
  return evaluate(*r, p.negative);
}

void TurnSum::join(const Turn& w, const Dyadic& p) {
  const Turns t = multiply(w, p);
  const std::optional<Fraction> turned = fraction_of(t, bit_length(t.limbs), w, p, 40);
  if (!turned) {
    reached_ = false;
    return;
  }
  error_ += turned->error;
  fraction_ += p.negative ? 0 - turned->part : turned->part;
}

void TurnSum::add(const Turn& w, const Dyadic& p) {
  if (w.zero() || p.zero()) return;
  if (++count_ == 1) {
    first_w_ = &w, first_p_ = p;
    return;
  }
  if (count_ == 2) join(*first_w_, first_p_);
  join(w, p);
}

std::optional<SineCosine> TurnSum::waves() const {
  if (count_ == 1) return quick_sine_cosine(*first_w_, first_p_);
  if (count_ == 0 || !reached_) return std::nullopt;
  const std::optional<Reduced> r = nearest_quarter(fraction_, error_);
  if (!r) return std::nullopt;
  return evaluate(*r, false);
}

// The cut is off by less than 3 units, the errors count at most once, their product for less than a 256th of one.
Approximation multiply(const Approximation& a, const Approximation& b) {
  Approximation c = {a.negative != b.negative, multiply_high(a.significand, b.significand), a.exponent + b.exponent,
                     a.error + b.error + (a.error >> 8) + 4};
  if (c.significand >> 127 == 0) {
    c.significand <<= 1;
    --c.exponent;
    c.error *= 2;
  }
  return c;
}

std::optional<Approximation> approximation(const Real& x) {
  for (const std::int64_t bits : {192, 256}) {
    const Enclosure known = enclose(x, bits);
    if (correct_bits(known) < 160) continue;
    const Leading top = leading(known.significand, known.exponent);
    return Approximation{known.negative, top.significand, top.exponent, 2};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> phase64(const Turn& w, const Dyadic& p) {
  const Turns t = multiply(w, p);
  const std::int64_t error_bits = bit_length(t.limbs) - 240 - t.fraction_bits + 64;
  if (t.fraction_bits >= 64 && error_bits <= 0) {
    return static_cast<std::uint64_t>(bits_from(t.limbs, t.fraction_bits - 64));
  }
  const std::optional<Fraction> turned = fraction_by_digits(w, p);
  return turned ? std::optional(static_cast<std::uint64_t>(turned->part >> 64)) : std::nullopt;
}

std::optional<uint128> phase128(const Turn& w, const Dyadic& p) {
  const Turns t = multiply(w, p);
  const std::int64_t error_bits = bit_length(t.limbs) - 240 - t.fraction_bits + 128;
  if (t.fraction_bits < 128 || error_bits > 0) return std::nullopt;
  return bits_from(t.limbs, t.fraction_bits - 128);
}

uint128 fraction128(const Turn& w) {
  const std::array<std::uint64_t, 5> limbs = {w.significand[0], w.significand[1], w.significand[2], w.significand[3],
                                              0};
  return bits_from(limbs, 128 - w.exponent);
}

}  // namespace posenc::numerics
