// SPDX-License-Identifier: Apache-2.0
// The faults that a diagnosis and an identification look for beside one hypothesis, in one order: neither knows less.
#pragma once

#include "src/referee/faults.h"

namespace posenc::referee {

/// A fault of all entries alike, or of rows: roundings, a mapping, rows at other positions, damaged rows.
std::optional<Fault> fault_of_rows(const Reading& reading, const Hypothesis& asked, DType storage,
                                   const Beyond& beyond);

}  // namespace posenc::referee
