// SPDX-License-Identifier: Apache-2.0
// Which cells of a stored table a place of another one is made of.
#pragma once

#include <cstdint>
#include <vector>

namespace posenc::plan {

/// The sum of weights[i] times cell first + i, in that order; without weights 0.
struct Taps {
  std::int64_t first = 0;
  std::vector<double> weights = {};
  friend bool operator==(const Taps&, const Taps&) = default;
};
/// Of every place along an axis.
using TapPlan = std::vector<Taps>;

/// Rows of a table that belong to no cell, before and behind those that do.
struct KeptRows {
  std::int64_t before, behind;
  friend bool operator==(const KeptRows&, const KeptRows&) = default;
};

}  // namespace posenc::plan
