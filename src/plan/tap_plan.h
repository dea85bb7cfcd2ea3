// SPDX-License-Identifier: Apache-2.0
// Which cells of a stored table a place of another one is made of.
#pragma once

#include <cstdint>
#include <vector>

namespace posenc::plan {

/// A cell, and what it is multiplied with.
struct Tap {
  std::int64_t cell;
  double weight;
  friend bool operator==(const Tap&, const Tap&) = default;
};
/// The sum of weighted cells, in this order; a cell may come again. Without any 0.
using Taps = std::vector<Tap>;
/// Of every place along an axis.
struct TapPlan {
  std::vector<Taps> places;
  bool in_f32;  ///< products and sums; else in f64
  bool means;   ///< of all cells of a place's block, which are summed line by line and divided by their numbers
  friend bool operator==(const TapPlan&, const TapPlan&) = default;
};

/// Rows of a table that belong to no cell, before and behind those that do.
struct KeptRows {
  std::int64_t before, behind;
  friend bool operator==(const KeptRows&, const KeptRows&) = default;
};

}  // namespace posenc::plan
