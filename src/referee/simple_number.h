// SPDX-License-Identifier: Apache-2.0
// The simple number that a fitted value stands for: what people write in code, if one lies in the value's interval.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace posenc::referee {

/// What a measurement leaves open.
struct Interval {
  double low, high;
  double middle() const { return low + (high - low) / 2; }
  bool has(double x) const { return low <= x && x <= high; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct SimpleNumber {
  double value;
  std::string text;  ///< "10000", "sqrt 512", "1 / 3", "2 pi"
  friend bool operator==(const SimpleNumber&, const SimpleNumber&) = default;
};

/// The simplest number within the interval, of these in turn: decimals of up to 3 digits; square roots of `sizes` and
/// one over them; small multiples of pi; fractions with a denominator up to 64; powers of two; decimals of up to 9
/// digits. Nothing where chance would do as well: a form whose numbers lie less than ten times
/// as far apart as the interval is wide. Of a positive interval; a negative one gives the negative number.
std::optional<SimpleNumber> simple_number(const Interval& interval, std::span<const std::int64_t> sizes = {});

}  // namespace posenc::referee
