// SPDX-License-Identifier: Apache-2.0
// What was added to a table: noise, which is as large everywhere and new in every row, or the drift of training.
#pragma once

#include "src/referee/faults.h"

namespace posenc::referee {

/// "noise of size 0.01 (root mean square) on every column": differences as large in every column and every row, and no
/// more alike from a row to the next than chance makes them. Nothing where entries are near, or differences are as
/// large as entries.
std::optional<Fault> noisy_entries(const Reading& reading, const Hypothesis& asked, DType storage);

/// "learned from a sinusoid: distance grows in columns 4 to 15, to 0.05": differences that go on from a row to the
/// next, or are larger in some columns than in others. The columns are the fewest side by side that have 19 in 20 of
/// the squares of all differences; distance grows where that of each quarter of them is larger than of the one before.
std::optional<Fault> drifted_columns(const Reading& reading, const Hypothesis& asked, DType storage);

}  // namespace posenc::referee
