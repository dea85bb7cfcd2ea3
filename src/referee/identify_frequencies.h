// SPDX-License-Identifier: Apache-2.0
// Lists of frequencies: inv_freq of a rotation, or the ladder of a table.
#pragma once

#include <posenc/identify.h>

namespace posenc::referee {

/// Of a tensor whose entries stand along one axis.
Identification identify_frequencies(const ConstView& tensor, const IdentifyOptions& options);

}  // namespace posenc::referee
