// SPDX-License-Identifier: Apache-2.0
// Scaled ladders of rotations: what was done to a ladder so that it serves longer sequences.
#pragma once

#include "src/referee/ladder_line.h"
#include "src/referee/shared_fits.h"

namespace posenc::referee {

/// What would make `like`'s ladder of these frequencies: linear, NTK, dynamic NTK at a length, proportional, YaRN,
/// Llama 3, LongRoPE. `exponent` is that of w_1. Whether one has them is asked by who holds them.
std::vector<LadderFit> scaling_fits(const Signal& like, std::span<const Frequency> frequencies,
                                    const Logarithms& logarithms, double exponent, SharedFits& shared);

}  // namespace posenc::referee
