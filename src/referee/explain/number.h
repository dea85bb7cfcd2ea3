// SPDX-License-Identifier: Apache-2.0
// Real numbers as an explanation has them: in closed form, or enclosed by a function.
#pragma once

#include <functional>

#include "src/numerics/sine_cosine.h"

namespace posenc::referee {

/// A real number. `closed` where it has a closed form; `enclose` always, ever more tightly with more bits.
struct Number {
  std::optional<numerics::Real> closed;
  std::function<numerics::Enclosure(std::int64_t)> enclose;

  Number(numerics::Real x);
  explicit Number(std::function<numerics::Enclosure(std::int64_t)> by) : enclose(std::move(by)) {}
};

/// sin x or cos x.
Number wave(numerics::Wave of, const numerics::Real& x);
Number operator*(const Number& a, const Number& b);
Number operator+(const Number& a, const Number& b);
Number operator-(const Number& a, const Number& b);

/// RN(x) to f64, where 2^15 bits settle it.
std::optional<double> nearest(const Number& x);
/// RN(value / of - 1) to f64; nothing where `of` is 0 or undecided.
std::optional<double> relative_error(double value, const Number& of);
/// RN(value - of) to f64.
std::optional<double> error(double value, const Number& of);
/// The whole number nearest to x, half-way up; nothing where 2^15 bits do not tell.
std::optional<numerics::Rational> nearest_whole(const numerics::Real& x);

}  // namespace posenc::referee
