// SPDX-License-Identifier: Apache-2.0
// Ramps of scaled frequencies that begin or end at other pairs than is asked: a port clamps an end, rounds it the other
// way, or counts turns in another length.
#pragma once

#include "src/conventions/lower.h"
#include "src/referee/ladder_fit.h"

namespace posenc::referee {

struct ShownRamp {
  Convention convention;           ///< as asked, but for the turns of an end or of both
  std::vector<std::string> words;  ///< one an end
};
/// The whole ends that frequencies show of a ramp over the pairs, by number in the one ladder of a rotation; nothing
/// where it has no such ramp, or where the ends are those asked.
std::optional<ShownRamp> shown_ramp(const Convention& asked, const LoweredFor& given,
                                    std::span<const Frequency> frequencies);

}  // namespace posenc::referee
