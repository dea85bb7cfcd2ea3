// SPDX-License-Identifier: Apache-2.0
// The oracle of exactness: sines of exact angles by MPFR, one by one, or by addition theorem for millions of positions.
// It shares no code with the library.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <vector>

namespace oracle {

/// An MPFR number that frees itself.
class Number {
 public:
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value_, precision); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

/// w = base^(-numerator / denominator) to `precision` bits.
void set_frequency(Number& w, double base, unsigned long numerator, unsigned long denominator);

/// A binary format: bits of the significand, exponent of the least normal number (as 2^minimum).
struct Format {
  int precision, minimum;
};
inline constexpr Format f64 = {53, -1022}, f32 = {24, -126}, bf16 = {8, -126}, f16 = {11, -14};

enum class Wave { sine, cosine };
/// sin x or cos x rounded once to the format, as a double that holds it.
double rounded_wave(Wave wave, const Number& x, Format format);
/// x rounded once to the format.
double rounded(const Number& x, Format format);

/// The unevaluated sum of two doubles.
struct Sum {
  double high, low;
};
/// x to some 106 bits.
Sum to_sum(const Number& x);
/// To 2^-103 of itself.
Sum operator*(Sum a, Sum b);

/// Sine and cosine of p w for 0 <= p < 2^(2 half_bits): every position is a sum of two table entries, so that the
/// addition theorem gives both with four products. The error is below 2^-99.
class Waves {
 public:
  Waves(const Number& w, int half_bits);
  Sum sine(std::uint64_t p) const;
  Sum cosine(std::uint64_t p) const;

 private:
  struct Entry {
    Sum sine, cosine;
  };
  int half_bits_;
  std::vector<Entry> fine_, coarse_;  // k w and k 2^half_bits w
};

/// How far y is from the nearest number that does not round to `got`, less than 0 where y itself does not. `below` and
/// `above` are the neighbours of got, which is positive.
double room(Sum y, double got, double below, double above);

enum class Verdict { right, wrong, undecided };
/// Is `got` the number y, off by less than 2^-95, rounded to nearest?
Verdict judge(Sum y, double got, double below, double above);

}  // namespace oracle
