// SPDX-License-Identifier: Apache-2.0
// Tolerances of entries: bounds on the distance of a stored number from the real number that a convention predicts, if
// known arithmetic made it. One derivation for every kind of number.
//
// Known arithmetic makes a number by a few operations in f32 and rounds the result to its storage. Let u = 2^-24, half
// a unit in the last place of f32 relative to a number: each operation of f32 errs by u of its result at most, and each
// function of a C library by less than 2u, a whole unit. To first order errors add up; the second order is below u^2
// times the square of their number, 2^-15 of u for 16 of them, and within what functions leave of their unit.
// Arithmetic in f64 errs by less.
//
// frequency    w = B^-e: the exponent passes up to three roundings, those of a quotient, of ln B and of a product or of
//              the power's argument, which move ln w by 3u |ln w|; the power or exponential adds 2u, its result's
//              rounding and a reciprocal u each, a scaling 2u, the position and its product with w u each:
//              (3 |ln w| + 8) u of w.
// in a list    16u more, which is measured: a ladder may be a product of as many factors as pairs, and that is the most
//              that the 64 of llama.cpp add.
// quotient     a frequency that is read as the quotient of a number and a stored one: as a frequency, but rounded to
//              storage before and after the division.
// wave         the angle p w is off by (3 |ln w| + 8) u of itself, position and product included, and the sine by as
//              much; a sine, the rounding of a magnitude and of a scale and their two products are six units of a
//              number of at most the scale, and 8u leave room for the sines of vector libraries.
// rotation     x c - y s of a pair of length r: each factor, each product and the sum are rounded to the type in which
//              the model computes: at most 4 of its half units of r, since |x| + |y| <= sqrt 2 r; and r times the error
//              of the angle, whose frequency may be a product of as many factors as pairs: 128u of it for 64 pairs.
// slope        16u, which is measured: the most that powers of 2 to a fraction, and products of up to 112 of them,
//              showed in the code of BLOOM and MPT.
// bias         a slope times a distance, which is a whole number below 2^24: 17u. A model that multiplies in half
//              precision rounds the slope and then the product: two half units. It is taken to count distances in f32.
// factor       1 + g ln(1 + n), or the ratio of two logarithms: at most four operations and two functions, 8u.
// coordinate   log2(1 + s) / 3 of s = 8 i / (n - 1): s is off by 3u of itself, which moves the result by at most 3u of
//              itself, since s / (1 + s) <= ln(1 + s); the sum 1 + s by u of itself, which moves the result by
//              u / (3 ln 2) < u, whatever its size; logarithm and division add 3u of the result.
// class        a whole number: nothing.
#pragma once

#include <posenc/convention.h>

#include <cmath>

namespace posenc::referee {

/// The kinds of numbers that are held entry by entry. Waves and rotations have bounds that depend on their place:
/// verdict.h and turn_match.h make them of the parts below.
enum class EntryKind : std::uint8_t { slopes = 1, biases, factors, coordinates, classes, frequencies, quotients };
/// Returns the kind of the numbers that the operation of a convention writes: for rows and rotations, frequencies.
EntryKind entry_kind_of(const Convention& convention);

/// u, half a unit in the last place of f32, relative to a number.
inline constexpr double half_unit_of_f32 = 0x1p-24;

/// Half a unit in the last place of a number that is stored as a type: a part of the number, and the least that it is,
/// half the spacing of the smallest numbers. Tables of f64 may have been made in f32.
struct HalfUnit {
  double relative, least;
};
constexpr HalfUnit half_unit_of(DType storage) {
  switch (storage) {
    case DType::bf16: return {0x1p-8, 0x1p-134};
    case DType::f16: return {0x1p-11, 0x1p-25};
    default: return {half_unit_of_f32, 0x1p-150};
  }
}

/// Relative tolerance of a frequency that arithmetic in f32 made: one that turns an angle, and one in a list. 0 for a
/// frequency of 0.
double frequency_error(double frequency);
double listed_frequency_error(double frequency);

/// Tolerance of a sine or cosine in f32 relative to the scale, without the error of its angle.
inline constexpr double wave_error = 8 * half_unit_of_f32;

/// Tolerance of a rotated entry relative to the length of its pair, without the error of the angle.
constexpr double rotation_error(DType computing) {
  constexpr double half_units = 4;
  const double in_type = half_units * half_unit_of(computing).relative;
  return in_type > wave_error ? in_type : wave_error;
}
/// Relative tolerance of that angle.
inline constexpr double rotation_angle_error = 128 * half_unit_of_f32;

/// Tolerance of an entry: absolute + relative times the size of the real number.
struct EntryBound {
  double relative = 0, absolute = 0;
  double at(double right) const { return absolute + relative * std::abs(right); }
  bool holds(double got, double right) const { return std::abs(got - right) <= at(right); }
};
/// Returns the tolerance of an entry of a kind that was stored as a type. `right`: the real number, on which that of a
/// frequency depends.
EntryBound bound_of(EntryKind kind, DType storage, double right);

/// Returns true for the scores that programs use as attention masks: the least number of f16, the same in bf16, and
/// -1e9 or less. A score of that size that the bias itself predicts, at a far key, is not masked.
inline bool hides(double score) { return score == -65504 || score == -65536 || score <= -1e9; }
inline bool is_masked(double score, double right) { return hides(score) && right > -65504; }

}  // namespace posenc::referee
