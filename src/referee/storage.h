// SPDX-License-Identifier: Apache-2.0
// The types that the elements of a tensor may have gone through: a wider one keeps what a narrower one left.
#pragma once

#include <posenc/core.h>

#include <vector>

namespace posenc::referee {

/// The type of the tensor, then each narrower real type that holds every element, or all but `most_others`, which were
/// changed since; the widest first.
std::vector<DType> storages_of(const ConstView& tensor, const Executor& executor = serial,
                               std::int64_t most_others = 0);

/// The number rounded to a real type, ties to even; to half precision by way of f32.
double stored(double value, DType type);

}  // namespace posenc::referee
