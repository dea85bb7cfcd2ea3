// SPDX-License-Identifier: Apache-2.0
// Positions p, p + 1, .. that no angle tells: the slowest wave has turned further than once, or no sine has a cosine of
// its frequency beside it.
#pragma once

#include <vector>

#include "src/referee/hold.h"

namespace posenc::referee {

/// The whole numbers from 0 to 8191, a few at most, that the first place may have where those behind it follow by 1, of
/// a signal of one axis whose entries are of this size.
std::vector<double> whole_firsts(const Reading& reading, const Signal& signal, double amplitude,
                                 const Tolerance& tolerance);

}  // namespace posenc::referee
