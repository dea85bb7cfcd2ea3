// SPDX-License-Identifier: Apache-2.0
// Faults that no convention says, each reproduced and held against the entries of a tensor.
#pragma once

#include "src/referee/hold.h"

namespace posenc::referee {

/// The factor by which all entries are scaled, in words: that of least squares, where it leaves no entry wrong.
std::optional<std::string> scale_fault(const Reading& reading, const Hypothesis& asked, DType storage);

/// Rounded angles, positions and frequencies: the words of the fault that leaves these entries, or nothing.
std::optional<std::string> rounding_fault(const Reading& reading, const Hypothesis& asked, DType storage);

/// Rows that are not what they should be, where they are few: zero, damaged.
std::vector<std::string> damaged_rows(const Reading& reading, const Hypothesis& asked, DType storage);

/// Columns that are zero, of the other sign, exchanged, damaged, or all of them noisy. Empty where none of these
/// explains the entries.
std::vector<std::string> damaged_columns(const Reading& reading, const Hypothesis& asked, DType storage);

/// The first place and column at which an entry lies further off than roundings explain.
std::optional<std::pair<std::int64_t, std::int64_t>> first_wrong(const Reading& reading, const Hypothesis& asked,
                                                                 DType storage);

}  // namespace posenc::referee
