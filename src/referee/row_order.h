// SPDX-License-Identifier: Apache-2.0
// Rows of a table that stand in another order, and parts of it that are another table's.
#pragma once

#include "src/referee/faults.h"

namespace posenc::referee {

/// "rows are permuted: row 0 holds position 5, .. (62 of 64 rows)": every row of a table of one axis shows a coordinate
/// of its own, by the waves in it, and its entries are those of it; "rows are at other positions: .." where these do
/// not follow each other in any order. Of at most 2^12 rows. Nothing where rows are where they should be.
std::optional<Fault> moved_rows(const Reading& reading, const Hypothesis& asked, DType storage);

/// "rows 32 to 63 hold something else", "columns 16 to 31 hold something else": all rows, or all columns, on one side
/// of some row or column are wrong, at most three in four of them, and all others are right.
std::optional<Fault> another_part(const Reading& reading, const Hypothesis& asked, DType storage);

}  // namespace posenc::referee
