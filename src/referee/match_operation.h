// SPDX-License-Identifier: Apache-2.0
// A tensor beside the output of an operation: biases, factors, coordinates, in the type of which the most entries are.
#pragma once

#include <posenc/referee/identify.h>

#include "src/encodings/operations.h"
#include "src/referee/bound.h"

namespace posenc::referee {

struct OperationMatch {
  Agreement agreement;
  DType storage;
};
/// The entries of a tensor of the output's shape beside that output, rounded to the type of which the most entries are
/// equal; of equals the first of `storages`. Masked scores are left out. Nothing where the operation refuses the
/// inputs, every entry is masked, or an entry lies beyond its bound in the last of `storages`: the verdict of check.
/// Biases are made a few queries at a time.
std::optional<OperationMatch> match_operation(const ConstView& tensor, EntryKind kind, const Convention& convention,
                                              const OperationInputs& inputs, std::span<const DType> storages);

}  // namespace posenc::referee
