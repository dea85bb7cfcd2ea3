// SPDX-License-Identifier: Apache-2.0
// Matches of a tensor with the output of an operation: biases, factors, coordinates.
#pragma once

#include <posenc/operation.h>

#include "src/referee/best_match.h"
#include "src/referee/bound.h"

namespace posenc::referee {

/// Compares a tensor of the output's shape with that output, rounded to the best storage. Skips masked scores. Returns
/// nothing if the operation refuses the inputs, if every entry is masked, or if an entry lies beyond its bound in the
/// last of `storages`, as check has it. Biases are predicted a few queries at a time.
std::optional<StorageMatch> match_operation(const ConstView& tensor, const Convention& convention,
                                            const OperationInputs& inputs, std::span<const DType> storages);

/// The candidate of a preset, with fields changed or as it stands, that has such a match.
Candidate candidate_of(const StorageMatch& match, const Preset& preset, const Convention& convention,
                       std::string_view form);

}  // namespace posenc::referee
