// SPDX-License-Identifier: Apache-2.0
// Slopes of biases: 128 bits of each, and as many more as a rounding asks for.
#include "src/encodings/slope.h"

#include <algorithm>

namespace posenc {
namespace {

using numerics::Dyadic;
using numerics::uint128;
using numerics::Wide;

// An odd mantissa, so that numbers of a like size are near each other in exponent, too.
Dyadic reduced(Dyadic x) {
  if (x.zero()) return {};
  const int zeros = std::countr_zero(x.mantissa);
  return {x.mantissa >> zeros, x.exponent + zeros, x.negative};
}

// |q - k| where 64 bits hold it.
std::optional<Dyadic> short_distance(const Dyadic& q, const Dyadic& k) {
  if (q.zero() || k.zero()) return Dyadic{q.mantissa | k.mantissa, q.zero() ? k.exponent : q.exponent};
  const int exponent = std::min(q.exponent, k.exponent);
  const auto fits = [&](const Dyadic& x) { return std::bit_width(x.mantissa) + x.exponent - exponent < 64; };
  if (!fits(q) || !fits(k)) return std::nullopt;
  const std::uint64_t a = q.mantissa << (q.exponent - exponent), b = k.mantissa << (k.exponent - exponent);
  if (q.negative != k.negative) return Dyadic{a + b, exponent};
  return Dyadic{a < b ? b - a : a - b, exponent};
}

}  // namespace

Slope::Slope(const Bias& bias, std::int64_t head, std::int64_t heads) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const int log2 = std::countr_zero(static_cast<std::uint64_t>(power));
  const std::int64_t steps = head < power ? 2 * (head + 1) : 2 * (head - power) + 1;  // of octaves / 2P each
  const Dyadic octaves = numerics::dyadic(bias.octaves);
  Wide e = Wide(octaves.mantissa) * static_cast<std::uint64_t>(steps);
  point_ = log2 + 1 - octaves.exponent;
  if (point_ < 0) e = e << -point_, point_ = 0;
  octaves_ = static_cast<std::int64_t>((e >> point_).limb(0));  // at most 1024
  fraction_ = low_bits(e, point_);
  const numerics::Enclosure slope = enclose(false, Wide(1), 0, 256);
  leading_ = leading(slope.significand, slope.exponent);
}

numerics::Enclosure Slope::enclose(bool negative, const Wide& distance, std::int64_t exponent,
                                   std::int64_t bits) const {
  // The cut fraction is off by less than a unit of 2^-F, ln 2 by 2^30 and exp by 2^38 of them: 2^44 are far from it
  // all.
  const std::int64_t F = bits + 64;
  const Wide fraction = F >= point_ ? fraction_ << (F - point_) : fraction_ >> (point_ - F);
  const numerics::Power power = numerics::exp({true, fraction * numerics::ln2(F) >> F}, F);
  return {negative, power.scale * distance, power.exponent - F - octaves_ + exponent, 44 + distance.bit_length()};
}

template <class T>
T Slope::certainly(bool negative, const Wide& distance, std::int64_t exponent) const {
  if (whole()) return numerics::round<T>(negative, leading(distance, exponent - octaves_));
  return numerics::settle_certainly<T>([&](std::int64_t bits) { return enclose(negative, distance, exponent, bits); });
}

// The slope's 2 units and the cut of the product are below 4 units, the shift makes them 8.
numerics::Approximation Slope::quickly(const Dyadic& distance) const {
  const int zeros = std::countl_zero(distance.mantissa);
  const std::uint64_t m = distance.mantissa << zeros;
  const auto high = static_cast<std::uint64_t>(leading_.significand >> 64);
  const auto low = static_cast<std::uint64_t>(leading_.significand);
  const uint128 product = uint128{high} * m + numerics::multiply_high(low, m);
  const bool shifted = product >> 127 == 0;
  return {true, shifted ? product << 1 : product,
          leading_.exponent + distance.exponent + 64 - zeros - (shifted ? 1 : 0), 8};
}

template <class T>
T Slope::times_distance(const Dyadic& q, const Dyadic& k) const {
  const Dyadic a = reduced(q), b = reduced(k);
  if (const std::optional<Dyadic> distance = short_distance(a, b)) {
    if (distance->zero()) return numerics::from_bits<T>(0);
    if (const std::optional<T> quick = numerics::settle<T>(quickly(*distance))) return *quick;
  }
  const int exponent = std::min(a.exponent, b.exponent);
  const Wide x = Wide(a.mantissa) << (a.exponent - exponent), y = Wide(b.mantissa) << (b.exponent - exponent);
  const Wide distance = a.negative != b.negative ? x + y : x < y ? y - x : x - y;
  return certainly<T>(true, distance, exponent);
}

template float Slope::certainly<float>(bool, const Wide&, std::int64_t) const;
template float Slope::times_distance<float>(const Dyadic&, const Dyadic&) const;
template double Slope::times_distance<double>(const Dyadic&, const Dyadic&) const;
template half Slope::times_distance<half>(const Dyadic&, const Dyadic&) const;
template bfloat16 Slope::times_distance<bfloat16>(const Dyadic&, const Dyadic&) const;

}  // namespace posenc
