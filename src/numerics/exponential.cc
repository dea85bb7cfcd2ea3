// SPDX-License-Identifier: Apache-2.0
// e^x = 2^k e^g, k + g / ln 2 = x / ln 2, 0 <= g < ln 2: one product of 128-bit integers and one series.
#include "src/numerics/exponential.h"

#include "src/numerics/factorials.h"
#include "src/numerics/phase.h"

namespace posenc::numerics {
namespace {

// e^g - 1 = g + g^2 (1 / 2! + g (1 / 3! + ...)): g^33 / 33! < 2^-140 and all that follows are left out.
constexpr auto exp_series = inverse_factorials<31>(2, 1);

// In units of 2^-127 and 2^-128, cut.
constexpr uint128 one_over_ln2 = uint128{0xB8AA3B295C17F0BBu} << 64 | 0xBE87FED0691D3E88u;
constexpr uint128 natural_log_of_2 = uint128{0xB17217F7D1CF79ABu} << 64 | 0xC9E3B39803F2F6AFu;

// e^g - 1 < 1. Each of Horner's steps cuts less than 3 units, of which a factor g < 0.7 is left in the next: less than
// 10; with the two products outside less than 17, all of them too small.
uint128 exp_less_one(uint128 g) {
  uint128 sum = exp_series.back();
  for (std::size_t i = exp_series.size() - 1; i-- > 0;) sum = exp_series[i] + multiply_high(g, sum);
  return g + multiply_high(multiply_high(g, g), sum);
}

}  // namespace

Approximation approximation(double x) {
  const Dyadic d = dyadic(x);
  const int shift = std::countl_zero(d.mantissa);
  return {d.negative, uint128{d.mantissa} << (64 + shift), d.exponent + 64 - shift, 0};
}

std::optional<Approximation> quick_exp(const Approximation& x) {
  if (x.exponent > 14) return std::nullopt;
  // x / ln 2 in units of 2^-128 has 15 bits more than 128 at most.
  const Approximation t = multiply(x, {false, one_over_ln2, 1, 1});
  if (t.error >> 100 != 0) return std::nullopt;
  const auto shift = static_cast<int>(t.exponent);
  const bool fraction_alone = shift <= 0;
  std::int64_t k = fraction_alone ? 0 : static_cast<std::int64_t>(t.significand >> (128 - shift));
  uint128 fraction = fraction_alone ? (shift > -128 ? t.significand >> -shift : 0) : t.significand << shift;
  // Less than one unit is cut, and `error` is of both signs.
  const uint128 error = 1 + (fraction_alone ? (shift > -128 ? t.error >> -shift : 0) + 1 : t.error << shift);
  if (t.negative) {
    k = -k - (fraction != 0 ? 1 : 0);
    fraction = 0 - fraction;
  }
  // g is off by less than 0.7 error + 4 units, and so is e^g relative to itself, e^g < 2; in units of 2^-127.
  const uint128 above_one = exp_less_one(multiply_high(fraction, natural_log_of_2));
  return Approximation{false, uint128{1} << 127 | above_one >> 1, k + 1, error + 16};
}

}  // namespace posenc::numerics
