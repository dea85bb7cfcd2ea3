// SPDX-License-Identifier: Apache-2.0
// The columns of a row: which frequency each holds, and where in its turn it starts. No layout is known here.
#pragma once

#include <cstdint>
#include <vector>

#include "src/base/elements.h"
#include "src/engine/tables/frequencies.h"
#include "src/numerics/sine_cosine.h"

namespace posenc::engine {

struct Columns {
  std::vector<std::uint64_t> high, low;  // leading 128 bits of the turns per position
  std::vector<std::uint64_t> quarter;    // the phase at position 0: 0 to 3 quarters, in 2^-64 turns
  std::vector<std::uint32_t> frequency;  // its place in the ladder

  std::size_t size() const { return high.size(); }
  void reserve(std::size_t columns);
  /// A sine of a frequency below 0 stands as that of its size, turned by half a turn.
  void push_back(const Rungs& rungs, std::size_t k, unsigned quarters);

  /// Of column j: 0 for sin, 1 for cos, 2 for -sin, 3 for -cos.
  unsigned quarters(std::size_t j) const { return static_cast<unsigned>(quarter[j] >> 62); }
};

/// The entry of a column at p != 0 from RN(sin) and RN(cos) of |p| w. Negation is exact, so that a zero of -sin has the
/// sign opposite to that of sin; at position 0 both are +0 (at_zero).
template <class T>
T entry_of(const numerics::Pair<T>& pair, unsigned quarters, bool negative_position) {
  const T value = quarters % 2 != 0 ? pair.cosine : negative_position ? negated(pair.sine) : pair.sine;
  return quarters >= 2 ? negated(value) : value;
}

/// The quarters with which the size of a frequency gives what the frequency gives with these.
constexpr unsigned turned(unsigned quarters, bool negative_frequency) {
  return negative_frequency && quarters % 2 == 0 ? 2 - quarters : quarters;
}

/// The entry of a column at position 0: sin and -sin are +0.
template <class T>
T at_zero(unsigned quarters) {
  return quarters % 2 == 0 ? T(0.0f) : quarters == 1 ? T(1.0f) : T(-1.0f);
}

/// The same columns over positions counted in units of 2^exponent.
Columns scaled(const Columns& columns, const Rungs& rungs, int exponent);

}  // namespace posenc::engine
