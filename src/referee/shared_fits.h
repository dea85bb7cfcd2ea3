// SPDX-License-Identifier: Apache-2.0
// Fits of one list of frequencies that depend on the list alone, so that the rows of presets need not repeat them.
#pragma once

#include <map>

#include "src/referee/ladder_fit.h"

namespace posenc::referee {

/// A base, and what the frequencies of its ladder were divided by.
struct DividedLadder {
  double base;
  std::vector<double> divisors;
};

/// Filled on demand. Valid for one list of frequencies.
struct SharedFits {
  std::map<double, std::optional<DividedLadder>> divided;  ///< by the exponent of w_1; nothing: no list is met
};

/// As ladder_fits of the same frequencies.
std::vector<LadderFit> ladder_fits(const Signal& like, std::span<const Frequency> frequencies, double whole_turn,
                                   SharedFits& shared);

}  // namespace posenc::referee
