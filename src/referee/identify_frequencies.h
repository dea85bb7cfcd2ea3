// SPDX-License-Identifier: Apache-2.0
// Lists of frequencies: inv_freq of a rotation, or the ladder of a table.
#pragma once

#include <posenc/identify.h>

#include "src/referee/reading.h"

namespace posenc::referee {

/// The one row [n] of a tensor of 2 to 2^13 entries along one axis; nothing of another one.
std::optional<Reading> as_row(const ConstView& tensor);

/// Of a tensor whose entries stand along one axis.
Identification identify_frequencies(const ConstView& tensor, const IdentifyOptions& options);

}  // namespace posenc::referee
