// SPDX-License-Identifier: Apache-2.0
// All entries of a ladder as enclosures: of a rule each from the one before, of a scaled ladder those times enclosed
// factors. So a ladder takes few elementary functions, however many entries it has and however it is scaled.
#pragma once

#include <vector>

#include "src/numerics/frequency.h"
#include "src/plan/ladder.h"

namespace posenc::plan {

/// Enclosures of entry k times `times`, not 0 and one term without formulas, of some 300 certain bits; unknown() where
/// an entry is 0 or only its exact form tells it.
std::vector<numerics::Enclosure> enclosed(const Ladder& ladder, const numerics::Real& times);

/// |w| / 2 pi and whether w is below 0.
struct SignedTurn {
  numerics::Turn w;
  bool negative;
};
/// Sign and turns of every entry times `times`, from its enclosure, or from its exact form where the enclosure does not
/// decide; fewer than there are entries where 2^15 bits do not tell one from 0.
std::vector<SignedTurn> signed_turns(const Ladder& ladder, const numerics::Rational& times);

}  // namespace posenc::plan
