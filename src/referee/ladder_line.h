// SPDX-License-Identifier: Apache-2.0
// Straight lines through logarithms of frequencies.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "src/referee/ladder_fit.h"

namespace posenc::referee {

/// How far a measured frequency may be off because a program made it in f32: as exp of an exponent that two roundings
/// are off by 2^-24 of itself each, and a few more.
double made_in_f32(double frequency);

/// Of frequencies, each with how far off it may be; one of which too little is known has an infinite `off`. NaN: it is
/// none of a ladder, as it is not positive.
struct Logarithms {
  std::vector<double> of, off;
  bool tells(std::size_t k) const { return off[k] < std::numeric_limits<double>::infinity(); }
  Logarithms in_units_of(double frequency) const;
};
Logarithms logarithms_of(std::span<const Frequency> frequencies);

/// ln w_k = at_zero + slope k, each with how far off it may be.
struct Line {
  double at_zero, slope, at_zero_off, slope_off;
};
/// The line through the first `count` that tell; nothing where one is off it by more than its tolerance allows.
std::optional<Line> line_through(const Logarithms& all, std::size_t count);

/// The simple number between two, or the shortest decimal there, which has no text.
Fitted fitted_between(std::string name, double low, double high);
/// Of a line whose exponent is that of w_1.
Fitted line_base(const Line& line, double exponent);
/// The base of frequencies the first of which is 1: what all of them leave, which is less than a line does.
std::optional<Fitted> base_from_one(const Logarithms& all, double exponent);

}  // namespace posenc::referee
