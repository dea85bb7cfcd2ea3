// SPDX-License-Identifier: Apache-2.0
// Suspects of a rotation: rows of presets, whole and at a part of the head, and those with another base or scaling.
#pragma once

#include <functional>

#include "src/conventions/lower.h"
#include "src/referee/turned.h"

namespace posenc::referee {

/// A rotation of columns first .. first + width - 1 of a head.
struct TurnSuspect {
  std::vector<std::string> presets;
  std::vector<std::string> differences;
  Convention convention;
  Context context;
  std::int64_t width = 0, first = 0;
  Direction direction = Direction::forward;
  RotatedSide side = RotatedSide::query;  ///< of effect under a decay alone
  std::vector<Fitted> fitted;
};

struct TurnSuspects {
  std::vector<TurnSuspect> suspects;
  bool keeps_lengths = false;            ///< a pairing does
  std::vector<std::int64_t> further_on;  ///< of no suspects: how many places further on pairs show the rows to stand
};
/// Those that `lies_near` admits; it is asked for few.
TurnSuspects turn_suspects(const TurnedRows& rows, const TurnPlaces& places,
                           const std::function<bool(const TurnSuspect&)>& lies_near);

}  // namespace posenc::referee
