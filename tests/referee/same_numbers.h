// SPDX-License-Identifier: Apache-2.0
// Whether a candidate is what is true: its row of presets by name, or another one that has the same numbers.
#pragma once

#include <posenc/identify.h>

#include <algorithm>
#include <cmath>

#include "src/referee/signal.h"

namespace posenc::test {

/// The same frequencies to 1e-9 in the form of the candidate.
inline bool same_numbers(const Preset& row, const Convention& convention, const LoweredFor& given,
                         const Candidate& candidate) {
  const Convention& found = candidate.convention;
  if (check_use("test", Use::rotations, found) && check_use("test", Use::coordinates, found)) return false;
  const auto known = referee::signal_of(row, convention, given, candidate.form);
  const auto other = referee::signal_of(preset(candidate.presets.front()), found,
                                        {.width = candidate.width, .context = candidate.context}, candidate.form);
  if (!known || !other || known->plan.columns != other->plan.columns) return false;
  constexpr double rounding = 1e-9;
  const auto near = [](double a, double b) { return std::abs(a - b) <= rounding * (std::abs(a) + std::abs(b)); };
  return std::ranges::equal(known->frequencies, other->frequencies,
                            [&](const auto& a, const auto& b) { return std::ranges::equal(a, b, near); });
}

inline bool names(const Identification& said, const Preset& row, const Convention& convention,
                  const LoweredFor& given) {
  return std::ranges::any_of(said.candidates, [&](const Candidate& each) {
    return std::ranges::find(each.presets, row.name) != each.presets.end() ||
           same_numbers(row, convention, given, each);
  });
}

}  // namespace posenc::test
