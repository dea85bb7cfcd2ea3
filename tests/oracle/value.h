// SPDX-License-Identifier: Apache-2.0
// Formulas as they are written, by MPFR with 4000 bits. It shares no code with the library.
#pragma once

#include <utility>

#include "tests/oracle/sines.h"

namespace oracle {

/// A real number, off by less than 2^-3900 of its size where nothing cancels.
class Value {
 public:
  static constexpr mpfr_prec_t precision = 4000;

  Value(double x) { mpfr_init2(value_, precision), mpfr_set_d(value_, x, MPFR_RNDN); }
  Value(const Value& other) { mpfr_init2(value_, precision), mpfr_set(value_, other.value_, MPFR_RNDN); }
  Value& operator=(const Value& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Value() { mpfr_clear(value_); }
  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

  friend Value operator+(Value a, const Value& b) { return mpfr_add(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Value operator-(Value a, const Value& b) { return mpfr_sub(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Value operator*(Value a, const Value& b) { return mpfr_mul(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Value operator/(Value a, const Value& b) { return mpfr_div(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Value pow(Value a, const Value& b) { return mpfr_pow(a.get(), a.get(), b.get(), MPFR_RNDN), a; }
  friend Value log(Value a) { return mpfr_log(a.get(), a.get(), MPFR_RNDN), a; }
  friend Value exp(Value a) { return mpfr_exp(a.get(), a.get(), MPFR_RNDN), a; }
  friend Value sqrt(Value a) { return mpfr_sqrt(a.get(), a.get(), MPFR_RNDN), a; }
  friend Value sin(Value a) { return mpfr_sin(a.get(), a.get(), MPFR_RNDN), a; }
  friend Value cos(Value a) { return mpfr_cos(a.get(), a.get(), MPFR_RNDN), a; }
  friend bool operator<(const Value& a, const Value& b) { return mpfr_less_p(a.get(), b.get()) != 0; }

 private:
  mpfr_t value_;
};

inline Value pi() {
  Value x(0);
  mpfr_const_pi(x.get(), MPFR_RNDN);
  return x;
}

/// An int64, which a double may not hold.
inline Value whole(std::int64_t n) {
  Value x(0);
  mpfr_set_si(x.get(), n, MPFR_RNDN);
  return x;
}

/// The real number that x stands for, rounded once to the format, as a double that holds it. A power that is rational,
/// 10000^(-1/4), is off as any other: what lies 2^-3900 beside the middle of two numbers is in the middle.
inline double rounded(const Value& x, Format format) {
  constexpr mpfr_prec_t certain = Value::precision - 200;
  Number copy(certain);
  mpfr_set(copy.get(), x.get(), MPFR_RNDN);
  return rounded(copy, format);
}

/// The binary logarithm of |a - b| / |b|, rounded up.
inline long relative_error(const Value& a, const Value& b) {
  const Value error = (a - b) / b;
  return mpfr_zero_p(error.get()) ? -100000 : mpfr_get_exp(error.get());
}

}  // namespace oracle
