// SPDX-License-Identifier: Apache-2.0
// What two conventions make of a score: products of rows, and of queries and keys that were turned.
#pragma once

#include "src/referee/compared_numbers.h"

namespace posenc::referee {

/// PE(p) . PE(q) over all pairs of the places. Nothing where an entry was not settled.
std::optional<ScoreChange> change_of_products(const ComparedNumbers& a, const ComparedNumbers& b, const Places& places);

/// (R(p) q) . (R(p') k) over all pairs of the places, for heads of `head` columns. `waves_a` and `waves_b` are those of
/// the plans' pairs.
std::optional<ScoreChange> change_of_turns(const plan::PairPlan& a, const plan::PairPlan& b,
                                           const ComparedNumbers& waves_a, const ComparedNumbers& waves_b,
                                           const Places& places);

}  // namespace posenc::referee
