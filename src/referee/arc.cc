// SPDX-License-Identifier: Apache-2.0
// The arctangent: halved twice, then its series. Sines and cosines: of an eighth of a turn at most, by their series.
#include "src/referee/arc.h"

#include <array>
#include <cmath>

namespace posenc::referee {
namespace {

// atan t, 0 <= t <= 1. atan t = 2 atan(t / (1 + sqrt(1 + t^2))): after two of these t < 0.199, where 20 terms of the
// series leave 0.199^41 / 41 < 2^-100.
double arctangent(double t) {
  for (int i = 0; i < 2; ++i) t = t / (1 + std::sqrt(1 + t * t));
  const double square = t * t;
  double sum = 0;
  for (int k = 19; k >= 0; --k) sum = (k % 2 == 0 ? 1.0 : -1.0) / (2 * k + 1) + square * sum;
  return 4 * t * sum;
}

// 1 / (n (n + 1)), the quotient of a term of a sine or cosine to the one two before.
constexpr std::array<double, 21> quotients = [] {
  std::array<double, 21> all = {};
  for (int n = 1; n <= 20; ++n) all[static_cast<std::size_t>(n)] = 1.0 / (n * (n + 1));
  return all;
}();

}  // namespace

double arc(double y, double x) {
  const double a = std::abs(x), b = std::abs(y);
  if (a == 0 && b == 0) return 0;
  double angle = b <= a ? arctangent(b / a) : pi / 2 - arctangent(a / b);
  if (x < 0) angle = pi - angle;
  return y < 0 ? -angle : angle;
}

Point point_at(double angle) {
  const double less = wrapped(angle), quarter = std::rint(less / (pi / 2));
  constexpr double quarter_low = 6.123233995736766e-17;
  const double x = (less - quarter * (pi / 2)) - quarter * quarter_low, square = x * x;
  // |x| <= pi / 4: the first terms left out are below 2^-70.
  double sine = 1, cosine = 1;
  for (std::size_t k = 20; k >= 2; k -= 2) {
    sine = 1 - square * quotients[k] * sine;
    cosine = 1 - square * quotients[k - 1] * cosine;
  }
  sine *= x;
  switch (static_cast<int>(quarter) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

double wrapped(double angle) {
  // 2 pi in two parts, so that what is left of many turns is exact to 2^-48.
  constexpr double turn_low = 2.4492935982947064e-16;
  const double turns = std::rint(angle / turn);
  return (angle - turns * turn) - turns * turn_low;
}

}  // namespace posenc::referee
