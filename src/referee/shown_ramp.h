// SPDX-License-Identifier: Apache-2.0
// Ramps of scaled frequencies that begin or end at other pairs than is asked: a port clamps an end, rounds it the other
// way, or counts turns in another length.
#pragma once

#include "src/referee/diagnose_trials.h"

namespace posenc::referee {

/// The convention with the whole ends that the frequencies show of a ramp over the pairs, by the turns of those ends;
/// nothing where it has no such ramp, or where the ends are those asked.
std::optional<Trial> with_shown_ramp(const Trial& asked, const MeasuredTurns& measured);

}  // namespace posenc::referee
