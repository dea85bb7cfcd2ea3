// SPDX-License-Identifier: Apache-2.0
// Correctly rounded exp, log and pow: the quick path first where recipes ask for many values.
#include "src/numerics/elementary.h"

#include <limits>

#include "src/numerics/exponential.h"

namespace posenc::numerics {
namespace {

template <class T>
std::optional<T> quickly_rounded_exp(const Approximation& x) {
  const std::optional<Approximation> quick = quick_exp(x);
  return quick ? settle<T>(*quick) : std::nullopt;
}

}  // namespace

template <class T>
std::optional<T> exp_rounded(double x) {
  if (x != x) return std::numeric_limits<T>::quiet_NaN();
  if (x == 0) return T(1);
  if (x > 1e4) return std::numeric_limits<T>::infinity();
  if (x < -1e4) return T(0);
  if (const std::optional<T> quick = quickly_rounded_exp<T>(approximation(x))) return quick;
  const Rational exponent = x;
  return settle_certainly<T>([&](std::int64_t bits) { return exp(enclose(exponent, bits + 64), bits); });
}

template <class T>
std::optional<T> log_rounded(double x) {
  if (x == 1) return T(0);
  const Rational argument = x;
  return settle_certainly<T>([&](std::int64_t bits) { return log(argument, bits + 64); });  // 2^-53 or more
}

Base base(double x) {
  if (x == 1) return {x, std::nullopt};
  return {x, approximation(logarithm(Rational(x)))};
}

template <class T>
std::optional<T> pow_rounded(const Base& x, double y) {
  if (x.value == 1 || y == 0) return T(1);
  const T beyond = (x.value > 1) == (y > 0) ? std::numeric_limits<T>::infinity() : T(0);
  // |ln x| is at least 2^-53: the power overflows or underflows every type when |y| is beyond 2^66.
  if (y > 0x1p66 || y < -0x1p66) return beyond;
  const Approximation exponent = multiply(*x.log, approximation(y));
  if (exponent.exponent > 14) return beyond;  // |y ln x| is 2^14 or more
  if (const std::optional<T> quick = quickly_rounded_exp<T>(exponent)) return quick;
  return rounded<T>(power(Rational(x.value), Rational(y)));
}

std::optional<float> gaussian_rounded(std::uint32_t a, std::uint32_t b) {
  const Rational u1 = Rational(std::uint64_t{a} + 1) * fraction(1, std::int64_t{1} << 32);
  const Real angle = Real(fraction(b, std::int64_t{1} << 31)) * pi_to_the(1);
  return exact_wave<float>(Wave::cosine, angle, square_root(Real(-2) * logarithm(u1)));
}

template std::optional<float> exp_rounded<float>(double);
template std::optional<double> exp_rounded<double>(double);
template std::optional<float> log_rounded<float>(double);
template std::optional<double> log_rounded<double>(double);
template std::optional<float> pow_rounded<float>(const Base&, double);
template std::optional<double> pow_rounded<double>(const Base&, double);

}  // namespace posenc::numerics
