// SPDX-License-Identifier: Apache-2.0
// Pairs that stand anywhere in a row, drawn at random.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "src/plan/pair_plan.h"

namespace posenc::engine::test {

/// How the pairs of a stretch of columns stand.
enum class Stand : std::uint8_t { adjacent = 1, halves, swapped_halves, anywhere };

/// The columns of pair k of n in a stretch of 2n from `first` on.
inline std::vector<std::array<std::uint32_t, 2>> standing(std::mt19937& random, std::uint32_t first, std::uint32_t n) {
  std::vector<std::uint32_t> any(2 * std::size_t{n});
  std::iota(any.begin(), any.end(), first);
  std::shuffle(any.begin(), any.end(), random);
  const auto stand = static_cast<Stand>(1 + random() % 4);
  std::vector<std::array<std::uint32_t, 2>> columns;
  for (std::uint32_t k = 0; k < n; ++k) {
    if (stand == Stand::adjacent) columns.push_back({first + 2 * k, first + 2 * k + 1});
    if (stand == Stand::halves) columns.push_back({first + k, first + n + k});
    if (stand == Stand::swapped_halves) columns.push_back({first + n + k, first + k});
    if (stand == Stand::anywhere) columns.push_back({any[2 * std::size_t{k}], any[2 * std::size_t{k} + 1]});
  }
  return columns;
}

struct Stretches {
  std::vector<plan::Pair> pairs;
  std::uint32_t width;
};

/// A few stretches of pairs that are read one way and written another, or the same, with columns of no pair between.
inline Stretches random_stretches(std::mt19937& random, std::uint32_t most_pairs) {
  Stretches made = {{}, static_cast<std::uint32_t>(random() % 3)};
  for (std::size_t count = 1 + random() % 4; count > 0; --count) {
    const auto n = static_cast<std::uint32_t>(1 + random() % most_pairs);
    const auto read = standing(random, made.width, n);
    const auto written = random() % 2 == 0 ? read : standing(random, made.width, n);
    for (std::uint32_t k = 0; k < n; ++k) made.pairs.push_back({read[k], written[k], {}});
    made.width += 2 * n + static_cast<std::uint32_t>(random() % 2 * (random() % 9));
  }
  return made;
}

}  // namespace posenc::engine::test
