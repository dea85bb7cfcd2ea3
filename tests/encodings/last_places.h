// SPDX-License-Identifier: Apache-2.0
// Distances between floating-point numbers in last places of their type.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>

namespace posenc::test {

/// Patterns in the order of the numbers; +0 and -0 are one.
template <class Signed, class T>
std::int64_t ordered(T value) {
  const auto pattern = std::bit_cast<Signed>(value);
  return pattern < 0 ? std::int64_t{std::numeric_limits<Signed>::min()} - pattern : pattern;
}

/// How many numbers of the type a and b are apart.
template <class T>
std::int64_t last_places(T a, T b) {
  using Signed =
      std::conditional_t<sizeof(T) == 2, std::int16_t, std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>>;
  return std::abs(ordered<Signed>(a) - ordered<Signed>(b));
}

/// What two lists are apart, entry by entry.
struct Distance {
  std::int64_t entries = 0, equal = 0, most = 0;

  template <class T>
  void add(T a, T b) {
    const std::int64_t apart = last_places(a, b);
    ++entries;
    equal += apart == 0;
    most = most < apart ? apart : most;
  }
  /// Whether nine in ten are equal: a program that rounds in another order has none of them but by chance.
  bool mostly_equal() const { return entries > 0 && 10 * equal >= 9 * entries; }
};

}  // namespace posenc::test
