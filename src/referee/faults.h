// SPDX-License-Identifier: Apache-2.0
// Faults that no convention says, each reproduced and held against the entries of a tensor.
#pragma once

#include "src/referee/hold.h"

namespace posenc::referee {

/// Rounded angles, positions and frequencies: the words of the fault that leaves these entries, or nothing.
std::optional<std::string> rounding_fault(const Reading& reading, const Hypothesis& asked, DType storage);

/// Rows and columns that are not what the others are: zero, of the other sign, exchanged, damaged, noisy. Empty where
/// most entries are others and none of these explains them.
std::vector<std::string> damage(const Reading& reading, const Hypothesis& asked, DType storage);

/// The first place and column at which an entry lies further off than roundings explain.
std::optional<std::pair<std::int64_t, std::int64_t>> first_wrong(const Reading& reading, const Hypothesis& asked,
                                                                 DType storage);

}  // namespace posenc::referee
