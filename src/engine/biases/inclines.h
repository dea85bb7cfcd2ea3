// SPDX-License-Identifier: Apache-2.0
// A slope times the differences of numbers from one of them, correctly rounded, and which products are in doubt.
#pragma once

#include "src/base/elements.h"

namespace posenc::engine {

/// What a slope multiplies, of a number x and the one that all of a line are measured from.
enum class Measured : std::uint8_t {
  difference = 1,  ///< x - from
  minus_distance,  ///< -|x - from|
};

/// What is known of all products of `high` and a difference, besides that they are near.
enum class Products : std::uint8_t {
  any = 1,  ///< nothing
  sized,    ///< none is below 2^minimum of the type, but for 0, or above 2^(1 - minimum)
  exact,    ///< the same, and f64 holds each: `high` is the slope
};

/// The slope is high + low, off by less than 2^-105 of it: high is it rounded to f64, 2^-512 to 2^512 in size, low what
/// is left, rounded again. Numbers are at most 2^63 in size.
struct Incline {
  double high, low, from;
  Measured measured;
  Products products;
};

/// Numbers are read up to whole vectors, of so many at most.
inline constexpr std::size_t most_lanes = 64;
/// Numbers of a line, whose places 16 bits hold.
inline constexpr std::size_t most_in_line = 4096;

/// out[i] = RN(slope times what x[i] is measured to be), of no difference +0, for i < count <= most_in_line but for the
/// places in doubt, whose number is returned; `doubts` has room for count + most_lanes.
template <class T>
using WriteIncline = std::size_t(const Incline& of, const double* x, std::size_t count, T* out, std::uint16_t* doubts);

/// Those of the instruction set in use.
const ByType<WriteIncline>& incline_kernels();

}  // namespace posenc::engine
