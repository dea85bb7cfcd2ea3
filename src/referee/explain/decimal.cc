// SPDX-License-Identifier: Apache-2.0
// Decimal digits by whole division: both ends of an enclosure must give the same ones.
#include "src/referee/explain/decimal.h"

#include <algorithm>

namespace posenc::referee {
namespace {

using numerics::Bignum;
using numerics::Enclosure;
using numerics::Rational;

constexpr std::int64_t most_digit_bits = std::int64_t{1} << 13;

// digits 10^(exponent - count + 1): "d.ddd" times 10^exponent.
struct Digits {
  std::string text;
  std::int64_t exponent = 0;
  bool exact = false;
  bool operator==(const Digits&) const = default;
};

Bignum power_of_ten(std::int64_t n) { return numerics::power(Bignum(10), static_cast<std::uint64_t>(n)); }

struct Quotient {
  Bignum above, below;
};
Quotient quotient_of(const Rational& x) {
  return {x.exponent > 0 ? x.numerator << x.exponent : x.numerator,
          x.exponent < 0 ? x.denominator << -x.exponent : x.denominator};
}

// |x| rounded to so many digits, ties to even; x is not 0.
Digits digits_of(const Rational& x, int count) {
  const auto [above, below] = quotient_of(x);
  // 2^(b - 1) < |x| < 2^(b + 1), and log10 2 is a little more than 30102 / 100000: within one of the exponent, or more
  // for huge ones.
  const std::int64_t binary = above.bit_length() - below.bit_length();
  std::int64_t exponent = binary * 30103 / 100000;
  const auto scaled = [&](std::int64_t e) {
    const std::int64_t shift = count - 1 - e;
    return numerics::divide(shift > 0 ? above * power_of_ten(shift) : above,
                            shift < 0 ? below * power_of_ten(-shift) : below);
  };
  const Bignum least = power_of_ten(count - 1), beyond = power_of_ten(count);
  while (true) {
    const std::int64_t shift = count - 1 - exponent;
    auto [whole, rest] = scaled(exponent);
    if (whole < least) {
      --exponent;
      continue;
    }
    if (!(whole < beyond)) {
      ++exponent;
      continue;
    }
    const bool exact = rest.zero();
    const Bignum divisor = shift < 0 ? below * power_of_ten(-shift) : below, twice = rest + rest;
    const bool odd = (whole.limb(0) & 1) != 0;
    if (divisor < twice || (twice == divisor && odd)) whole = whole + Bignum(1);
    if (whole == beyond) return {"1" + std::string(static_cast<std::size_t>(count - 1), '0'), exponent + 1, exact};
    return {whole_text(whole), exponent, exact};
  }
}

// 0.00123, 1230, or 1.23e+45.
std::string written(const Digits& digits, bool negative) {
  std::string text = digits.text;
  if (digits.exact) {
    while (text.size() > 1 && text.back() == '0') text.pop_back();
  }
  const auto count = static_cast<std::int64_t>(text.size());
  const std::int64_t e = digits.exponent;
  std::string out;
  if (e < -7 || e > 40) {
    out = text.substr(0, 1) + (count > 1 ? "." + text.substr(1) : "") + (e < 0 ? "e-" : "e+") +
          std::to_string(e < 0 ? -e : e);
  } else if (e < 0) {
    out = "0." + std::string(static_cast<std::size_t>(-e - 1), '0') + text;
  } else if (count <= e + 1) {
    out = text + std::string(static_cast<std::size_t>(e + 1 - count), '0');
  } else {
    out = text.substr(0, static_cast<std::size_t>(e + 1)) + "." + text.substr(static_cast<std::size_t>(e + 1));
  }
  return (negative ? "-" : "") + out;
}

std::optional<Digits> digits_within(const Enclosure& x, int count) {
  if (x.error_bits >= x.significand.bit_length()) return std::nullopt;
  const Bignum error = Bignum(1) << x.error_bits;
  if (x.significand == error) return std::nullopt;
  Digits low = digits_of(Rational(x.significand - error, Bignum(1), x.exponent, false), count);
  Digits high = digits_of(Rational(x.significand + error, Bignum(1), x.exponent, false), count);
  low.exact = high.exact = false;
  return low == high ? std::optional(low) : std::nullopt;
}

}  // namespace

std::string whole_text(const Bignum& n) {
  constexpr std::uint64_t block = 1'000'000'000'000'000'000;
  if (n.zero()) return "0";
  std::vector<std::string> blocks;
  for (Bignum left = n; !left.zero();) {
    const auto [quotient, rest] = numerics::divide(left, Bignum(block));
    blocks.push_back(std::to_string(rest.limb(0)));
    left = quotient;
  }
  std::string text = blocks.back();
  for (std::size_t i = blocks.size() - 1; i-- > 0;) text += std::string(18 - blocks[i].size(), '0') + blocks[i];
  return text;
}

Decimal decimal(const Number& x, int digits) {
  if (x.closed) {
    if (x.closed->zero()) return {"0", 1, true};
    if (const std::optional<Rational> value = numerics::rational(*x.closed)) {
      const Digits found = digits_of(*value, digits);
      return {written(found, value->negative), digits, found.exact};
    }
  }
  Enclosure last = numerics::unknown();
  for (std::int64_t bits = 256; bits <= most_digit_bits; bits *= 2) {
    last = x.enclose(bits);
    if (const auto found = digits_within(last, digits)) return {written(*found, last.negative), digits, false};
  }
  for (int fewer = digits - 1; fewer > 0; --fewer) {
    if (const auto found = digits_within(last, fewer)) return {written(*found, last.negative), fewer, false};
  }
  return {"undecided", 0, false};
}

}  // namespace posenc::referee
