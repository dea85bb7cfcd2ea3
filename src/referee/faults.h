// SPDX-License-Identifier: Apache-2.0
// Faults that no convention says, each reproduced and held against the entries of a tensor.
#pragma once

#include "src/referee/hold.h"
#include "src/referee/verdict.h"

namespace posenc::referee {

/// A fault in words, and the share of entries that it explains.
struct Fault {
  std::vector<std::string> words;
  double explained;
};

/// Rounded angles, positions and frequencies: the fault that leaves these entries, or nothing.
std::optional<Fault> rounding_fault(const Reading& reading, const Hypothesis& asked, DType storage);

/// Rows that are not what they should be, where they are few: zero, damaged.
std::optional<Fault> damaged_rows(const Reading& reading, const Hypothesis& asked, const Beyond& beyond);

/// Columns that are zero, of the other sign, exchanged, damaged. Nothing where none of these explains the entries.
std::optional<Fault> damaged_columns(const Reading& reading, const Hypothesis& asked, DType storage);

/// "position 257, column 5", by the names of the axes.
std::string place_words(const Reading& reading, const Hypothesis& asked, std::int64_t place, std::int64_t column);

}  // namespace posenc::referee
