// SPDX-License-Identifier: Apache-2.0
// The coordinates that the waves of a reading show, for those who hold a signal against it.
#pragma once

#include <array>
#include <vector>

#include "src/referee/hold.h"

namespace posenc::referee {

/// At most `most` of them, evenly.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

/// Coordinates of every axis, and the numbers behind them that are not the usual ones.
struct Measured {
  std::vector<Coordinates> coordinates;
  std::vector<Fitted> fitted;

  void add(const std::string& axis, std::size_t axes, const Fitted& first, const Fitted& step) {
    Coordinates along = {first.value, step.value};
    if (first.value != 0) fitted.push_back(first), fitted.back().name = "first " + axis;
    if (step.value != 1) fitted.push_back(step), fitted.back().name = "step of " + axis;
    coordinates.insert(coordinates.end(), axes, along);
  }
};

/// By simple numbers; and where those are off by more than the entries allow, with steps of more digits, then as they
/// were measured.
struct MeasuredPlaces {
  Measured simple;
  std::array<Measured, 4> longer_steps;
  Measured raw;
};

/// The coordinates of every axis that entries of this size show; every combination of the few that an axis leaves.
std::vector<MeasuredPlaces> measured_places(const Reading& reading, const Signal& signal,
                                            const std::vector<std::size_t>& extent_of, double amplitude,
                                            const Tolerance& tolerance);

}  // namespace posenc::referee
