// SPDX-License-Identifier: Apache-2.0
// Sines of exact angles by MPFR and by double-double arithmetic.
#include "tests/oracle/sines.h"

#include <cmath>

namespace oracle {

void set_frequency(Number& w, double base, unsigned long numerator, unsigned long denominator) {
  Number exponent(mpfr_get_prec(w.get()) + 16), b(53);
  mpfr_set_ui(exponent.get(), numerator, MPFR_RNDN);
  mpfr_div_ui(exponent.get(), exponent.get(), denominator, MPFR_RNDN);
  mpfr_neg(exponent.get(), exponent.get(), MPFR_RNDN);
  mpfr_set_d(b.get(), base, MPFR_RNDN);
  mpfr_pow(w.get(), b.get(), exponent.get(), MPFR_RNDN);
}

namespace {

// Runs `compute` with the exponent range of the format, so that results round once, subnormal ones included.
template <class Compute>
double in_format(Format format, const Compute& compute) {
  const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
  Number y(format.precision);
  int inexact = compute(y.get());
  mpfr_set_emin(format.minimum - format.precision + 2);
  mpfr_set_emax(1 - format.minimum + 1);
  inexact = mpfr_check_range(y.get(), inexact, MPFR_RNDN);
  inexact = mpfr_subnormalize(y.get(), inexact, MPFR_RNDN);
  mpfr_set_emin(least);
  mpfr_set_emax(most);
  return mpfr_get_d(y.get(), MPFR_RNDN);
}

}  // namespace

double rounded_wave(Wave wave, const Number& x, Format format) {
  return in_format(format, [&](mpfr_ptr y) {
    return wave == Wave::sine ? mpfr_sin(y, x.get(), MPFR_RNDN) : mpfr_cos(y, x.get(), MPFR_RNDN);
  });
}

double rounded(const Number& x, Format format) {
  return in_format(format, [&](mpfr_ptr y) { return mpfr_set(y, x.get(), MPFR_RNDN); });
}

namespace {

Sum quick_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

Sum two_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

// Dekker's exact product, by Veltkamp's splitting
Sum two_product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1;
  const double p = a * b, ta = splitter * a, tb = splitter * b;
  const double a1 = ta - (ta - a), a0 = a - a1, b1 = tb - (tb - b), b0 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b0 + a0 * b1) + a0 * b0};
}

Sum operator+(Sum a, Sum b) {
  const Sum s = two_sum(a.high, b.high), t = two_sum(a.low, b.low);
  const Sum u = quick_two_sum(s.high, s.low + t.high);
  return quick_two_sum(u.high, u.low + t.low);
}

Sum operator-(Sum a) { return {-a.high, -a.low}; }

}  // namespace

Sum to_sum(const Number& x) {
  Number rest(mpfr_get_prec(x.get()));
  const double high = mpfr_get_d(x.get(), MPFR_RNDN);
  mpfr_sub_d(rest.get(), x.get(), high, MPFR_RNDN);
  return {high, mpfr_get_d(rest.get(), MPFR_RNDN)};
}

Sum operator*(Sum a, Sum b) {
  const Sum p = two_product(a.high, b.high);
  return quick_two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

Waves::Waves(const Number& w, int half_bits) : half_bits_(half_bits) {
  const mpfr_prec_t precision = 180;
  Number x(260), s(precision), c(precision);
  const auto entry = [&](std::uint64_t p) {
    mpfr_mul_ui(x.get(), w.get(), p, MPFR_RNDN);
    mpfr_sin_cos(s.get(), c.get(), x.get(), MPFR_RNDN);
    return Entry{to_sum(s), to_sum(c)};
  };
  for (std::uint64_t i = 0; i < std::uint64_t{1} << half_bits; ++i) {
    fine_.push_back(entry(i));
    coarse_.push_back(entry(i << half_bits));
  }
}

Sum Waves::sine(std::uint64_t p) const {
  const Entry &a = coarse_[p >> half_bits_], &b = fine_[p & ((std::uint64_t{1} << half_bits_) - 1)];
  return a.sine * b.cosine + a.cosine * b.sine;
}

Sum Waves::cosine(std::uint64_t p) const {
  const Entry &a = coarse_[p >> half_bits_], &b = fine_[p & ((std::uint64_t{1} << half_bits_) - 1)];
  return a.cosine * b.cosine + -(a.sine * b.sine);
}

double room(Sum y, double got, double below, double above) {
  // y.high is the nearest double: its difference from got is exact where they are close, and so is that from a half-way
  // point, which half the distance of two numbers of the format leads to.
  const double from_low = ((y.high - got) + (got - below) / 2) + y.low;
  const double to_high = ((got - y.high) + (above - got) / 2) - y.low;
  return from_low < to_high ? from_low : to_high;
}

Verdict judge(Sum y, double got, double below, double above) {
  constexpr double margin = 0x1p-95;
  const double left = room(y, got, below, above);
  return left > margin ? Verdict::right : left < -margin ? Verdict::wrong : Verdict::undecided;
}

}  // namespace oracle
