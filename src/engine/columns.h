// SPDX-License-Identifier: Apache-2.0
// The columns of a row: which frequency each holds, and where in its turn it starts. No layout is known here.
#pragma once

#include <cstdint>
#include <vector>

#include "src/engine/rungs.h"

namespace posenc::engine {

struct Columns {
  std::vector<std::uint64_t> high, low;  // leading 128 bits of the turns per position
  std::vector<std::uint64_t> quarter;    // the phase at position 0: 0 or 2^62, in 2^-64 turns
  std::vector<std::uint32_t> rung;       // the frequency's place in the ladder

  std::size_t size() const { return high.size(); }
  void reserve(std::size_t columns);
  void push_back(const Rungs& rungs, std::size_t k, std::uint64_t phase);
};

inline constexpr std::uint64_t sine_phase = 0, cosine_phase = std::uint64_t{1} << 62;

/// The same columns over positions counted in units of 2^exponent.
Columns scaled(const Columns& columns, const Rungs& rungs, int exponent);

}  // namespace posenc::engine
