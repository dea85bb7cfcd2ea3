// SPDX-License-Identifier: Apache-2.0
// Rows of stored tables by positions.
#pragma once

#include <cstdint>
#include <vector>

namespace posenc::plan {

/// A row beyond a table's end.
enum class Beyond : std::uint8_t { refused = 1, last, no_row, from_zero };

/// Row position + offset of a table for each axis, or of one table: row first columns + second.
struct IndexPlan {
  std::int64_t axes;
  std::vector<std::int64_t> rows;  ///< of each table; empty: nobody has stated them
  std::int64_t offset;
  Beyond beyond;
  std::int64_t columns;  ///< 0: a table for each axis
  std::int64_t tables() const { return columns == 0 ? axes : 1; }
  friend bool operator==(const IndexPlan&, const IndexPlan&) = default;
};

}  // namespace posenc::plan
