// SPDX-License-Identifier: Apache-2.0
// The forms of simple numbers, each with the width from which on chance would meet it.
#include "src/referee/simple_number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "src/base/to_text.h"

namespace posenc::referee {
namespace {

// Is the interval narrow beside the gap between numbers of a form, relatively? Then chance seldom meets one.
bool tells(const Interval& interval, double gap) {
  return interval.high - interval.low <= 0.1 * gap * std::abs(interval.middle());
}

// 500000, where the shortest text of a double is 5e+05.
std::string plain(double value) {
  constexpr double most = 1e15;
  return std::abs(value) < most && value == std::floor(value) ? std::to_string(static_cast<std::int64_t>(value))
                                                              : to_text(value);
}

// 10^n is a double up to this n, so a decimal is one rounding away from its text.
constexpr int largest_power = 22;
double power_of_ten(int n) {
  double power = 1;
  for (int i = 0; i < std::abs(n); ++i) power *= 10;
  return n < 0 ? 1 / power : power;
}

struct Decimal {
  double value;
  int digits;
};
// The nearest to the middle of those of the fewest digits.
std::optional<Decimal> shortest(const Interval& interval, int most_digits) {
  int exponent = 0;
  while (exponent < largest_power && power_of_ten(exponent + 1) <= interval.middle()) ++exponent;
  while (exponent > -largest_power && power_of_ten(exponent) > interval.middle()) --exponent;
  for (int digits = 1; digits <= most_digits; ++digits) {
    const int shift = exponent - digits + 1;
    if (std::abs(shift) > largest_power) return std::nullopt;
    const double scale = power_of_ten(std::abs(shift));
    const double whole = std::rint(shift < 0 ? interval.middle() * scale : interval.middle() / scale);
    const double value = shift < 0 ? whole / scale : whole * scale;
    if (interval.has(value)) return Decimal{value, digits};
  }
  return std::nullopt;
}

// No wider than the gap between decimals of its length.
std::optional<SimpleNumber> decimal(const Interval& interval, int most_digits) {
  const auto found = shortest(interval, most_digits);
  if (!found || !tells(interval, 10 * power_of_ten(1 - found->digits))) return std::nullopt;
  return SimpleNumber{found->value, plain(found->value)};
}

std::optional<SimpleNumber> of_pi(const Interval& interval) {
  struct Multiple {
    double of_pi;
    std::string_view text;
  };
  static constexpr std::array multiples = {
      Multiple{1, "pi"},     Multiple{2, "2 pi"},      Multiple{0.5, "pi / 2"},
      Multiple{4, "4 pi"},   Multiple{0.25, "pi / 4"}, Multiple{1 / 3.0, "pi / 3"},
      Multiple{10, "10 pi"}, Multiple{100, "100 pi"},  Multiple{1 / 180.0, "pi / 180"}};
  for (const Multiple& multiple : multiples) {
    const double value = multiple.of_pi * std::numbers::pi;
    if (interval.has(value) && tells(interval, 0.1)) return SimpleNumber{value, std::string(multiple.text)};
  }
  return std::nullopt;
}

std::optional<SimpleNumber> fraction(const Interval& interval) {
  for (int denominator = 2; denominator <= 64; ++denominator) {
    const double above = std::rint(interval.middle() * denominator), value = above / denominator;
    if (above < 1 || above > 4096 || !interval.has(value)) continue;
    // Fractions up to this denominator lie about 1 / denominator^2 apart.
    if (!tells(interval, 1.0 / (denominator * denominator * interval.middle()))) return std::nullopt;
    return SimpleNumber{value, plain(above) + " / " + std::to_string(denominator)};
  }
  return std::nullopt;
}

std::optional<SimpleNumber> power_of_two(const Interval& interval) {
  int exponent = 0;
  std::frexp(interval.high, &exponent);  // 2^(exponent - 1) <= high
  const double value = std::ldexp(1, exponent - 1);
  if (!interval.has(value) || !tells(interval, 1)) return std::nullopt;
  return SimpleNumber{value, exponent < 1 ? "2^" + std::to_string(exponent - 1) : plain(value)};
}

}  // namespace

double shortest_decimal(const Interval& interval) {
  if (interval.high < 0) return -shortest_decimal({-interval.high, -interval.low});
  constexpr int digits = 15;  // that every double keeps
  const auto found = interval.low > 0 ? shortest(interval, digits) : std::nullopt;
  return found ? found->value : interval.middle();
}

int digits_of(std::string_view text) {
  int digits = 0, zeros = 0;
  for (const char c : text) {
    if (c == '0' && digits > 0) ++zeros;
    if (c >= '1' && c <= '9') digits += zeros + 1, zeros = 0;
  }
  return digits;
}

double chance_of_digits(const Interval& interval, std::string_view text) {
  if (text.empty()) return 1;
  double numbers = 1;
  for (int i = 0; i < digits_of(text); ++i) numbers *= 10;
  return std::min(1.0, (interval.high - interval.low) / std::abs(interval.middle()) * numbers);
}

std::optional<SimpleNumber> simple_root(const Interval& interval, std::span<const std::int64_t> sizes) {
  for (const std::int64_t size : sizes) {
    if (size < 1) continue;
    const double value = std::sqrt(static_cast<double>(size));
    const std::string text = "sqrt " + std::to_string(size);
    if (interval.has(value)) return SimpleNumber{value, text};
    if (interval.has(1 / value)) return SimpleNumber{1 / value, "1 / " + text};
  }
  return std::nullopt;
}

std::optional<SimpleNumber> simple_number(const Interval& interval) {
  if (interval.high < 0) {
    auto positive = simple_number({-interval.high, -interval.low});
    if (positive) *positive = {-positive->value, "-" + positive->text};
    return positive;
  }
  if (!(interval.low > 0) || !std::isfinite(interval.high)) return std::nullopt;
  if (auto number = decimal(interval, 3)) return number;
  if (auto number = of_pi(interval)) return number;
  if (auto number = fraction(interval)) return number;
  if (auto number = power_of_two(interval)) return number;
  return decimal(interval, 9);
}

std::vector<SimpleNumber> simple_numbers(const Interval& interval) {
  std::vector<SimpleNumber> all;
  if (auto first = simple_number(interval)) all.push_back(*first);
  const auto add = [&](double value) {
    const bool known = std::ranges::any_of(all, [&](const SimpleNumber& each) { return each.value == value; });
    if (interval.has(value) && !known) all.push_back({value, plain(value)});
  };
  int exponent = 0;
  std::frexp(interval.high, &exponent);
  add(std::ldexp(1, exponent - 1));
  add(std::rint(interval.middle()));
  return all;
}

}  // namespace posenc::referee
