// SPDX-License-Identifier: Apache-2.0
// Classes of distances: whole numbers that change from stretch to stretch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace posenc::plan {

/// Distances are those of positions up to 2^52 in size.
inline constexpr std::int64_t furthest_distance = std::int64_t{1} << 53;

/// Distance d from `from` on to the next stretch has class first + step (d - from); step is -1, 0 or 1.
struct ClassRun {
  std::int64_t from, first, step;
  std::int64_t at(std::int64_t d) const { return first + step * (d - from); }
  friend bool operator==(const ClassRun&, const ClassRun&) = default;
};

/// The class of a key at distance d ahead of its query, by stretches that begin at -furthest_distance and rise.
struct ClassPlan {
  std::vector<ClassRun> stretches;

  std::int64_t at(std::int64_t d) const {
    const auto after = std::ranges::upper_bound(stretches, d, {}, &ClassRun::from);
    return (after - 1)->at(d);
  }
  friend bool operator==(const ClassPlan&, const ClassPlan&) = default;
};

}  // namespace posenc::plan
