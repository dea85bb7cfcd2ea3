// SPDX-License-Identifier: Apache-2.0
// What the fits of one list of frequencies share, whichever row of presets is fitted to it.
#pragma once

#include <map>

#include "src/referee/ladder_fit.h"

namespace posenc::referee {

/// A base, and what the frequencies of its ladder were divided by.
struct DividedLadder {
  double base;
  std::vector<double> divisors;
};

/// Of one list of frequencies; each is made by the first row that asks for it.
struct SharedFits {
  std::map<double, std::optional<DividedLadder>> divided;  ///< by the exponent of w_1; nothing: no list is met
};

/// As ladder_fits of the same frequencies.
std::vector<LadderFit> ladder_fits(const Signal& like, std::span<const Frequency> frequencies, double whole_turn,
                                   SharedFits& shared);

}  // namespace posenc::referee
