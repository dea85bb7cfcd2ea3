// SPDX-License-Identifier: Apache-2.0
// Diagnoses of what attention reads besides rows and rotations, entry by entry.
#pragma once

#include <posenc/diagnose.h>

namespace posenc::referee {

/// Of slopes, biases, classes, factors of queries and coordinates of pairs under a logarithm.
Diagnosis diagnose_relative(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options);
std::optional<Problem> check_relative(const ConstView& tensor, const Convention& convention,
                                      const DiagnoseOptions& options);

}  // namespace posenc::referee
