// SPDX-License-Identifier: Apache-2.0
// Diagnoses of what attention reads besides rows and rotations, entry by entry.
#pragma once

#include <posenc/referee/diagnose.h>

namespace posenc::referee {

/// Whether a tensor is diagnosed here: of such a convention, or a list of the frequencies of a rotation.
bool is_relative(const ConstView& tensor, const Convention& convention);
/// Of slopes, biases, classes, factors of queries and coordinates of pairs under a logarithm.
Diagnosis diagnose_relative(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options);
std::optional<Problem> check_relative(const ConstView& tensor, const Convention& convention,
                                      const DiagnoseOptions& options);

}  // namespace posenc::referee
