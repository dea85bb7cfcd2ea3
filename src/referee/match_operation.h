// SPDX-License-Identifier: Apache-2.0
// A tensor beside the output of an operation: biases, factors, coordinates, in the type of which the most entries are.
#pragma once

#include <posenc/referee/identify.h>

#include "src/encodings/operations.h"

namespace posenc::referee {

struct OperationMatch {
  Agreement agreement;
  DType storage;
};
/// The entries of a tensor of the output's shape beside that output, rounded to the type of which the most entries are
/// equal; of equals the first of `storages`. Entries of biases that a mask hides are left out. Nothing where the
/// operation refuses the inputs, or every entry is hidden. Of biases a few queries at a time are made.
std::optional<OperationMatch> match_operation(const ConstView& tensor, ConventionUse use, const Convention& convention,
                                              const OperationInputs& inputs, std::span<const DType> storages);

/// Whether a score is what is added where a query must not see a key: -65504, -1e9 or less.
inline bool hides(double score) { return score == -65504 || score <= -1e9; }

}  // namespace posenc::referee
