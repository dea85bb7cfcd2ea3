// SPDX-License-Identifier: Apache-2.0
// Binary fractions: the exact form of every position, frequency and floating-point argument.
#pragma once

#include <bit>
#include <cstdint>

namespace posenc::numerics {

__extension__ using uint128 = unsigned __int128;

/// +- mantissa * 2^exponent.
struct Dyadic {
  std::uint64_t mantissa = 0;
  int exponent = 0;
  bool negative = false;

  constexpr bool zero() const { return mantissa == 0; }
};

constexpr Dyadic dyadic(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return {value < 0 ? 0 - bits : bits, 0, value < 0};
}

/// A finite double. -0 is 0.
constexpr Dyadic dyadic(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFu;
  const int biased = static_cast<int>(bits >> 52 & 0x7FF);
  if (biased == 0) return {fraction, -1074, fraction != 0 && (bits >> 63) != 0};
  return {fraction | 0x10000000000000u, biased - 1075, (bits >> 63) != 0};
}

constexpr int countl_zero(uint128 x) {
  const auto high = static_cast<std::uint64_t>(x >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(x));
}

constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(uint128{a} * b >> 64);
}

/// floor(a b / 2^128), or up to 2 less.
constexpr uint128 multiply_high(uint128 a, uint128 b) {
  const auto a1 = static_cast<std::uint64_t>(a >> 64), a0 = static_cast<std::uint64_t>(a);
  const auto b1 = static_cast<std::uint64_t>(b >> 64), b0 = static_cast<std::uint64_t>(b);
  const uint128 middle = uint128{a1} * b0 >> 64;
  return uint128{a1} * b1 + middle + multiply_high(a0, b1);
}

}  // namespace posenc::numerics
