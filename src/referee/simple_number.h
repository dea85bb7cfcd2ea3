// SPDX-License-Identifier: Apache-2.0
// The simple number that a fitted value stands for: what people write in code, if one lies in the value's interval.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The simplest number within the interval, of these in turn: the shortest decimal, where it has up to 3 digits; small
/// multiples of pi; fractions with a denominator up to 64; powers of two; the shortest decimal, where it has up to 9
/// digits. A decimal is told where the interval is no wider than the gap between those of its length, others where it
/// is ten times narrower than the gaps of their form. Of a positive interval; a negative one gives the negative number.
std::optional<SimpleNumber> simple_number(const Interval& interval);
/// The shortest decimal of an interval, which chance may have put there.
double shortest_decimal(const Interval& interval);
/// The digits of a text without the zeros around them: 3 of "0.00125", 1 of "500000".
int digits_of(std::string_view text);
/// How likely an interval has a number of so few digits by chance; 1 where the text is that of none.
double chance_of_digits(const Interval& interval, std::string_view text);
/// The square root of one of `sizes`, or one over it, that lies inside: of a scale it comes before a simple number.
std::optional<SimpleNumber> simple_root(const Interval& interval, std::span<const std::int64_t> sizes);
/// The simple number, the power of two and the whole number in the middle, those that lie inside.
std::vector<SimpleNumber> simple_numbers(const Interval& interval);

}  // namespace posenc::referee
