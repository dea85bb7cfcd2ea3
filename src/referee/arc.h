// SPDX-License-Identifier: Apache-2.0
// Angles of points and points of angles, in double: what a measured sine and cosine stand for. Absolute error below
// 2^-48; the same bits on every machine, as only +, -, *, / and sqrt are used.
#pragma once

namespace posenc::referee {

inline constexpr double pi = 3.141592653589793, turn = 2 * pi;

/// The angle of (x, y) from -pi to pi; 0 of the origin.
double arc(double y, double x);

/// The point of an angle on the unit circle, |angle| below 2^40.
struct Point {
  double sine, cosine;
};
Point point_at(double angle);

/// The angle less whole turns, from -pi to pi; |angle| below 2^40.
double wrapped(double angle);

}  // namespace posenc::referee
