// SPDX-License-Identifier: Apache-2.0
// What entries rule out: the conventions of other rows of presets that are nearest to the one that was found.
#pragma once

#include "src/referee/identify_table.h"

namespace posenc::referee {

/// Of `signals` in the form that was found, at the same places, up to 3 that these entries rule out: those
/// with the most places in front that cannot be told apart, then those whose entries of a few rows differ by the least
/// on the average. Two entries are told apart where they differ by more than f32 arithmetic and the storage may have
/// moved both.
std::vector<RuledOut> ruled_out(std::span<const Judged> found, std::span<const Named> signals,
                                const IdentifyOptions& options);

}  // namespace posenc::referee
