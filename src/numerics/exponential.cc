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

namespace {

__extension__ using int128 = __int128;

// A double y within 2^-42 of ln z, z in [0.7, 1.42): 2 atanh(t), t = (z - 1) / (z + 1), whose t^17 / 17 < 2^-46 and all
// that follows are left out.
double log_of_near_one(double z) {
  const double t = (z - 1) / (z + 1), square = t * t;
  double sum = 0;
  for (int n = 15; n > 0; n -= 2) sum = sum * square + 1.0 / n;
  return 2 * t * sum;
}

// z e^-y - 1 in units of 2^-128, less than 2^88 in size, and by how many of them it may be off.
struct Rest {
  int128 units;
  uint128 error;
};
std::optional<Rest> rest_of(const Approximation& z, double y) {
  const std::optional<Approximation> inverse = quick_exp(approximation(-y));
  if (!inverse) return std::nullopt;
  const Approximation one = multiply(z, *inverse);
  if (one.exponent == 1) return Rest{static_cast<int128>(one.significand - (uint128{1} << 127)) * 2, 2 * one.error};
  if (one.exponent == 0) return Rest{-static_cast<int128>(0 - one.significand), one.error};
  return std::nullopt;
}

}  // namespace

// x = 2^k z: ln x = k ln 2 + y + ln(1 + d) for d = z e^-y - 1, |d| < 2^-40, so that d^3 / 3 and all that follows are
// less than 2^-121. The sum is formed in units of 2^-120: k units of the logarithm of 2, 4 of cuts, 1 of the series.
std::optional<Approximation> quick_log(const Approximation& x) {
  const double half_to_one = static_cast<double>(static_cast<std::uint64_t>(x.significand >> 64)) * 0x1p-64;
  const bool below = half_to_one < 0.7071;
  const std::int64_t k = x.exponent - (below ? 1 : 0);
  const double y = log_of_near_one(below ? 2 * half_to_one : half_to_one);
  if (k < -63 || k > 63 || y == 0) return std::nullopt;
  const std::optional<Rest> d = rest_of({false, x.significand, below ? 1 : 0, x.error}, y);
  if (!d) return std::nullopt;
  const Dyadic near = dyadic(y);
  const int shift = near.exponent + 120;
  const auto of_y = static_cast<int128>(shift >= 0 ? uint128{near.mantissa} << shift : near.mantissa >> -shift);
  const int128 cut = d->units >> 24, half_square = cut * cut >> 89;  // d^2 / 2 = (units 2^-128)^2 / 2
  const int128 sum =
      static_cast<int128>(natural_log_of_2 >> 8) * k + (near.negative ? -of_y : of_y) + (d->units >> 8) - half_square;
  const bool negative = sum < 0;
  const uint128 size = negative ? 0 - static_cast<uint128>(sum) : static_cast<uint128>(sum);
  const uint128 error = static_cast<uint128>(k < 0 ? -k : k) + 5 + (d->error >> 8);
  const int zeros = countl_zero(size);
  if (size == 0 || zeros > 48 || error >> 20 != 0) return std::nullopt;
  return Approximation{negative, size << zeros, 8 - zeros, error << zeros};
}

Approximation approximation(const Rational& x) {
  const Leading top = leading(x);
  return {x.negative, top.significand, top.exponent, top.more ? uint128{1} : uint128{0}};
}

}  // namespace posenc::numerics
